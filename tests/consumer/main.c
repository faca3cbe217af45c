/* Every call of the C interface from C, on a machine that may have no GPU: what is refused, and how
 * it reads. Exits 0 when all is as the header says. */
#include <fenestra.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

static void expect_refused(fenestra_status status, int code, const char* argument) {
  char text[200];
  fenestra_status_text(status, text, sizeof text);
  if (status.code == code && strcmp(status.argument, argument) == 0) return;
  fprintf(stderr, "not refused for %s: %s\n", argument, text);
  ++failures;
}

int main(void) {
  fenestra_device* device = (fenestra_device*)&failures;
  fenestra_shape shape = FENESTRA_SHAPE_INIT;
  fenestra_device_options options = FENESTRA_DEVICE_OPTIONS_INIT;
  fenestra_forward_arguments forward;
  fenestra_backward_arguments backward;
  int64_t bytes = 0;
  fenestra_choice choice;
  fenestra_windows_info windows;
  char text[8];

  expect(strcmp(fenestra_version(), FENESTRA_EXPECTED_VERSION) == 0, "the version is the package's");

  fenestra_status status = fenestra_open(99, NULL, &device);
  expect_refused(status, FENESTRA_CUDA_ERROR, "ordinal");
  expect(device == NULL, "no handle where opening failed");
  expect(fenestra_status_text(status, text, sizeof text) > (int)sizeof text, "length of the whole");
  expect(strcmp(text, "CUDA er") == 0, "text cut to the buffer");
  options.size = 1;
  expect_refused(fenestra_open(0, &options, &device), FENESTRA_BAD_VALUE, "options.size");
  expect_refused(fenestra_open(0, NULL, NULL), FENESTRA_NULL_POINTER, "device");
  fenestra_close(NULL);

  memset(&forward, 0, sizeof forward);
  memset(&backward, 0, sizeof backward);
  expect_refused(fenestra_forward(NULL, &forward, NULL), FENESTRA_NULL_POINTER, "device");
  expect_refused(fenestra_backward(NULL, &backward, NULL, 0, NULL), FENESTRA_NULL_POINTER, "device");
  expect_refused(fenestra_backward_workspace_bytes(NULL, &shape, &bytes), FENESTRA_NULL_POINTER,
                 "device");
  expect_refused(fenestra_backward_workspace_bytes_up_to(NULL, &shape, &bytes),
                 FENESTRA_NULL_POINTER, "device");
  expect_refused(fenestra_choose(NULL, FENESTRA_FORWARD, &shape, 0, &choice), FENESTRA_NULL_POINTER,
                 "device");
  expect_refused(fenestra_windows(NULL, &windows), FENESTRA_NULL_POINTER, "device");

  if (fenestra_open(0, NULL, &device).code == FENESTRA_OK) { /* a GPU is here */
    shape.tokens = 8192;
    shape.width = 4096;
    expect(fenestra_backward_workspace_bytes(device, &shape, &bytes).code == FENESTRA_OK,
           "workspace of a known shape");
    expect(fenestra_choose(device, FENESTRA_BACKWARD, &shape, 0, &choice).code == FENESTRA_OK &&
               strncmp(choice.program, "bwd_", 4) == 0,
           "a backward program");
    expect(choice.time_basis >= FENESTRA_BASIS_NONE && choice.time_basis <= FENESTRA_BASIS_BORROWED,
           "where its time comes from");
    expect(fenestra_windows(device, &windows).code == FENESTRA_OK &&
               strlen(windows.evidence) == 16 && windows.margin > 0,
           "the windows of the board");
    printf("bwd_w16_h4096 at 8192 rows on %s: %s, %lld bytes\n", windows.board, choice.program,
           (long long)bytes);
    expect_refused(fenestra_choose(device, FENESTRA_BACKWARD, &shape, 0, NULL),
                   FENESTRA_NULL_POINTER, "choice");
    expect_refused(fenestra_windows(device, NULL), FENESTRA_NULL_POINTER, "info");
    shape.reserved = 1;
    expect_refused(fenestra_choose(device, FENESTRA_BACKWARD, &shape, 0, &choice),
                   FENESTRA_BAD_VALUE, "shape.reserved");
    shape.reserved = 0;
    expect_refused(fenestra_forward(device, &forward, NULL), FENESTRA_BAD_VALUE, "arguments.size");
    expect_refused(fenestra_forward(device, NULL, NULL), FENESTRA_NULL_POINTER, "arguments");
    forward.size = sizeof forward;
    expect_refused(fenestra_forward(device, &forward, NULL), FENESTRA_NULL_POINTER, "shape");
    forward.shape = &shape;
    shape.size = 3;
    expect_refused(fenestra_forward(device, &forward, NULL), FENESTRA_BAD_VALUE, "shape.size");
    shape.size = sizeof shape;
    expect_refused(fenestra_forward(device, &forward, NULL), FENESTRA_NULL_POINTER, "x");
    shape.weight = 7;
    expect_refused(fenestra_forward(device, &forward, NULL), FENESTRA_BAD_VALUE, "shape.weight");
    fenestra_close(device);
  } else {
    puts("no GPU that the windows know: calls with an open handle were not tried");
  }
  return failures == 0 ? 0 : 1;
}
