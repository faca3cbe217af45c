/* Fenestra, the production library, for C and for anything that calls C: RMSNorm forward and
 * backward on NVIDIA GPUs, each call run by the program that the windows of its board name for its
 * row count.
 *
 *   fenestra_device* device = NULL;
 *   fenestra_status status = fenestra_open(0, NULL, &device);
 *   ...
 *   status = fenestra_backward(device, &arguments, workspace, bytes, stream);
 *   fenestra_close(device);
 *
 * Calls other than open and close allocate nothing, synchronize nothing, query no driver, and may
 * be made from any number of threads at once with one handle. Forward and backward take a stream of
 * the device and can be captured in a CUDA graph; what they point to on the device must live until
 * they have run, or as long as the graph. A bad argument is refused with a status that names it,
 * before anything is launched. Open loads kernels: not while a stream is captured.
 *
 * Structs that may grow begin with their size: a later library reads what an older caller knew of
 * and takes its own initial values for the rest. `reserved` must be 0. */
#ifndef FENESTRA_H
#define FENESTRA_H

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): this is C */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers) */

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is a pointer to it */

/* Values never change meaning; later versions append. */
enum {
  FENESTRA_OK = 0,
  FENESTRA_NULL_POINTER = 1,        /* a required pointer is null */
  FENESTRA_MISALIGNED = 2,          /* a pointer or pitch breaks the alignment */
  FENESTRA_BAD_VALUE = 3,           /* a number outside its range */
  FENESTRA_NO_ROUTE = 4,            /* no program for this width, dtype or residual form */
  FENESTRA_NO_WINDOWS = 5,          /* the board has no windows and none may be borrowed */
  FENESTRA_WORKSPACE_TOO_SMALL = 6, /* see fenestra_backward_workspace_bytes */
  FENESTRA_OVERLAP = 7,             /* tensors share elements in a way no program allows */
  FENESTRA_WRONG_DEVICE = 8,        /* a tensor lives elsewhere (checked builds only) */
  FENESTRA_CUDA_ERROR = 9           /* cuda_error holds the cudaError_t */
};

enum { FENESTRA_BF16 = 0, FENESTRA_FP32 = 1 };

/* What is promised about dw. DETERMINISTIC: the same bits for the same rows on boards of one SM
 * count; BOARD_INVARIANT: on every board; ANY: nothing. */
enum { FENESTRA_ANY = 0, FENESTRA_DETERMINISTIC = 1, FENESTRA_BOARD_INVARIANT = 2 };

enum { FENESTRA_FORWARD = 0, FENESTRA_BACKWARD = 1 };

typedef struct fenestra_status {
  int code;
  const char* argument; /* at fault; "" of FENESTRA_OK; never to be freed, as is reason */
  const char* reason;
  int cuda_error;
} fenestra_status;

/* A BF16 tensor [tokens][heads][width] in device memory, 16-byte aligned; pitches in elements,
 * multiples of 8; the last dimension contiguous. The pitch of a dimension of extent 1 is not looked
 * at. Inputs are not written. */
typedef struct fenestra_tensor {
  void* data;
  int64_t token_pitch;
  int64_t head_pitch;
} fenestra_tensor;

/* rows = tokens * heads, row r being head r % heads of token r / heads. No rows are fine: then dw
 * becomes zero (or stays, when accumulating), and no other pointer is looked at. */
typedef struct fenestra_shape {
  size_t size; /* of this struct */
  int64_t tokens;
  int32_t heads;
  int32_t width;
  int32_t weight;      /* FENESTRA_BF16 or FENESTRA_FP32 */
  int32_t determinism; /* FENESTRA_ANY, ... */
  int32_t residual;    /* not 0: the residual forms of both passes */
  int32_t reserved;
} fenestra_shape;
#define FENESTRA_SHAPE_INIT \
  { sizeof(fenestra_shape), 0, 1, 0, FENESTRA_BF16, FENESTRA_DETERMINISTIC, 0, 0 }

/* y = bf16(h * rstd * w), rstd = 1 / sqrt(mean(h^2) + eps), of h = x or, in the residual form,
 * h = bf16(x + residual), written to residual_out. y may be x itself, residual_out may be
 * residual (same pointer and pitches); no other sharing of elements is allowed. */
typedef struct fenestra_forward_arguments {
  size_t size; /* of this struct */
  const fenestra_shape* shape;
  fenestra_tensor x;
  fenestra_tensor residual;     /* residual form only */
  fenestra_tensor residual_out; /* residual form only */
  const void* w;                /* [width] of shape.weight, 16-byte aligned */
  fenestra_tensor y;
  float* rstd; /* [rows], 4-byte aligned */
  float eps;   /* finite, not negative */
  int32_t reserved;
} fenestra_forward_arguments;

/* dx = rstd * (dy w - n mean(dy w n)), n = h rstd, and dw = sum over rows of dy n in FP32. In the
 * residual form the gradient of residual out is added to dx before it is rounded. dx may be dy or
 * residual_gradient itself (same pointer and pitches); no other sharing of elements is allowed. */
typedef struct fenestra_backward_arguments {
  size_t size; /* of this struct */
  const fenestra_shape* shape;
  fenestra_tensor dy;
  fenestra_tensor h;                 /* what the forward normalized: its x or residual_out */
  fenestra_tensor residual_gradient; /* residual form only */
  const void* w;                     /* [width] of shape.weight, 16-byte aligned */
  const float* rstd;                 /* [rows], from the forward, 4-byte aligned */
  fenestra_tensor dx;
  float* dw;             /* [width], 4-byte aligned */
  int32_t accumulate_dw; /* not 0: add to dw instead of writing it */
  int32_t reserved;
} fenestra_backward_arguments;

typedef struct fenestra_device_options {
  size_t size; /* of this struct */
  /* Not 0: take the windows of the nearest board of the same arch when the device's own has none;
   * each open says so on standard error. */
  int32_t may_borrow;
  int32_t split_sm_count; /* split rows as a board of this many SMs does; 0: as this one */
} fenestra_device_options;
#define FENESTRA_DEVICE_OPTIONS_INIT \
  { sizeof(fenestra_device_options), 0, 0 }

typedef struct fenestra_device fenestra_device;

/* "0.2.0". */
const char* fenestra_version(void);

/* Finds the windows of CUDA device `ordinal` and loads their kernels; `options` may be NULL. Stores
 * a handle to give to fenestra_close, or NULL where the status is not FENESTRA_OK. */
fenestra_status fenestra_open(int ordinal, const fenestra_device_options* options,
                              fenestra_device** device);
void fenestra_close(fenestra_device* device); /* NULL is fine */

fenestra_status fenestra_forward(const fenestra_device* device,
                                 const fenestra_forward_arguments* arguments,
                                 struct CUstream_st* stream);

/* `workspace`: at least fenestra_backward_workspace_bytes in device memory, 16-byte aligned; may be
 * NULL when that is 0. One workspace serves any number of calls that run in order, as on one
 * stream; calls that may run at once need one each. */
fenestra_status fenestra_backward(const fenestra_device* device,
                                  const fenestra_backward_arguments* arguments, void* workspace,
                                  int64_t workspace_bytes, struct CUstream_st* stream);

/* Bytes for this shape; the most for any number of rows up to its own. */
fenestra_status fenestra_backward_workspace_bytes(const fenestra_device* device,
                                                  const fenestra_shape* shape, int64_t* bytes);
fenestra_status fenestra_backward_workspace_bytes_up_to(const fenestra_device* device,
                                                        const fenestra_shape* shape,
                                                        int64_t* bytes);

/* Where a time or an accuracy comes from. */
enum {
  FENESTRA_BASIS_NONE = 0,     /* not measured */
  FENESTRA_BASIS_MEASURED = 1, /* on this board */
  FENESTRA_BASIS_STOOD_IN = 2, /* accuracy by this board's row split, run elsewhere */
  FENESTRA_BASIS_BORROWED = 3  /* another board's */
};

typedef struct fenestra_choice {
  char program[64]; /* its name, terminated */
  int32_t time_basis;
  int32_t accuracy_basis;
} fenestra_choice;

/* The program that runs a shape; in_place: y overlays x, or dx overlays dy. */
fenestra_status fenestra_choose(const fenestra_device* device, int pass,
                                const fenestra_shape* shape, int in_place, fenestra_choice* choice);

/* The windows that a device runs by, but for the board-invariant level. The texts are never to be
 * freed. */
typedef struct fenestra_windows_info {
  const char* board;    /* "h200_132" */
  const char* evidence; /* digest of the evidence they were chosen from: 16 hex digits, which the
                           manifest of a release names */
  double margin;        /* the largest fraction of the error budget that a window may reach */
} fenestra_windows_info;

/* FENESTRA_NO_WINDOWS of a device that has only the board-invariant level. */
fenestra_status fenestra_windows(const fenestra_device* device, fenestra_windows_info* info);

/* "misaligned: dy: ...", into `text` as snprintf does; returns the length of the whole. */
int fenestra_status_text(fenestra_status status, char* text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
