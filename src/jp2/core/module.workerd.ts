// The decoder core in workerd, bundled as a module, because workerd compiles WebAssembly at deploy time only.
import module from '../../../build/core.wasm';

export default module;
