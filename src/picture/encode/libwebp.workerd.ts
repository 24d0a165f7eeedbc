// libwebp in workerd, bundled as a module.
import module from '@jsquash/webp/codec/enc/webp_enc_simd.wasm';

export default module;
