// Decodes a window of a JPEG 2000 file in memory several times with Grok or OpenJPEG, on one thread, and prints the milliseconds of
// processor time of each, from opening the codec to the samples. Built and run by native-decode.ts.
//
//   native-decode grok|openjpeg FILE REDUCE X0 Y0 X1 Y1 COUNT
#include <grok.h>
#include <openjpeg.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

struct Window {
  unsigned reduce, x0, y0, x1, y1;
};

static std::vector<uint8_t> file;

static void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

static void grok(const Window& w) {
  grk_stream_params stream{};
  stream.buf = file.data();
  stream.len = file.size();
  grk_decompress_core_params parameters{};
  parameters.reduce = static_cast<uint8_t>(w.reduce);
  grk_codec* codec = grk_decompress_init(&stream, &parameters);
  require(codec != nullptr, "grk_decompress_init");
  grk_header_info header{};
  require(grk_decompress_read_header(codec, &header), "grk_decompress_read_header");
  require(grk_decompress_set_window(codec, static_cast<float>(w.x0), static_cast<float>(w.y0), static_cast<float>(w.x1),
                                    static_cast<float>(w.y1)),
          "grk_decompress_set_window");
  require(grk_decompress(codec, nullptr), "grk_decompress");
  grk_image* image = grk_decompress_get_composited_image(codec);
  require(image != nullptr && image->comps[0].data != nullptr, "grk_decompress_get_composited_image");
  grk_object_unref(codec);
}

static OPJ_SIZE_T readBytes(void* to, OPJ_SIZE_T count, void* user) {
  auto* at = static_cast<size_t*>(user);
  if (*at >= file.size()) return static_cast<OPJ_SIZE_T>(-1);
  const size_t left = file.size() - *at;
  const size_t n = count < left ? count : left;
  std::memcpy(to, file.data() + *at, n);
  *at += n;
  return n;
}

static OPJ_OFF_T skipBytes(OPJ_OFF_T count, void* user) {
  *static_cast<size_t*>(user) += static_cast<size_t>(count);
  return count;
}

static OPJ_BOOL seekTo(OPJ_OFF_T offset, void* user) {
  *static_cast<size_t*>(user) = static_cast<size_t>(offset);
  return OPJ_TRUE;
}

static void openjpeg(const Window& w) {
  size_t at = 0;
  opj_stream_t* stream = opj_stream_create(1 << 20, OPJ_TRUE);
  opj_stream_set_user_data(stream, &at, nullptr);
  opj_stream_set_user_data_length(stream, file.size());
  opj_stream_set_read_function(stream, readBytes);
  opj_stream_set_skip_function(stream, skipBytes);
  opj_stream_set_seek_function(stream, seekTo);
  opj_codec_t* codec = opj_create_decompress(OPJ_CODEC_JP2);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  parameters.cp_reduce = w.reduce;
  require(opj_setup_decoder(codec, &parameters), "opj_setup_decoder");
  opj_image_t* image = nullptr;
  require(opj_read_header(stream, codec, &image), "opj_read_header");
  require(opj_set_decode_area(codec, image, static_cast<OPJ_INT32>(w.x0), static_cast<OPJ_INT32>(w.y0),
                              static_cast<OPJ_INT32>(w.x1), static_cast<OPJ_INT32>(w.y1)),
          "opj_set_decode_area");
  require(opj_decode(codec, stream, image), "opj_decode");
  require(image->comps[0].data != nullptr, "opj_decode");
  opj_image_destroy(image);
  opj_destroy_codec(codec);
  opj_stream_destroy(stream);
}

int main(int count, char** arguments) {
  require(count == 9, "arguments");
  const bool isGrok = std::strcmp(arguments[1], "grok") == 0;
  std::ifstream input(arguments[2], std::ios::binary);
  file.assign(std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>());
  const auto number = [&](int i) { return static_cast<unsigned>(std::atoi(arguments[i])); };
  const Window window{number(3), number(4), number(5), number(6), number(7)};
  if (isGrok) grk_initialize(nullptr, 1);
  for (unsigned i = 0; i < number(8); i++) {
    const std::clock_t from = std::clock();
    isGrok ? grok(window) : openjpeg(window);
    std::printf("%.3f\n", 1000.0 * static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC);
  }
  return 0;
}
