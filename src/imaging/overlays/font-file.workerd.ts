import font from '../../../build/overlay-font.ttf';

export default new Uint8Array(font);
