// workerd compiles imported modules at deploy time; it refuses to compile bytes at run time.
import module from '../../../build/core.wasm';

export default module;
