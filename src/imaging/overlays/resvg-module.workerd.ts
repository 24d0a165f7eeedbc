// workerd compiles imported modules at deploy time; it refuses to compile bytes at run time.
import module from '@resvg/resvg-wasm/index_bg.wasm';

export default module;
