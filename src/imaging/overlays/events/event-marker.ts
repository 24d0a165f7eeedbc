/** An event as a frame shows it. */
export interface EventMarker {
  /** Two or three letters of its type: `AR`. */
  readonly pin: string;
  /** Six hexadecimal digits, with or without `#`. */
  readonly colour: string;
  /** Position in the frame in pixels, y down; it may lie outside. */
  readonly x: number;
  readonly y: number;
  /**
   * Its position at an instant that neighbouring frames share, in pixels of this frame: labels find their places by it, so that
   * they move with their pins from frame to frame. Unset: its position.
   */
  readonly anchor?: EventPoint;
  /** Lines of its label as they came, escapes and all; none for no label. */
  readonly label: readonly string[];
  /** Outlines in pixels of the frame. Those of less than three points are not drawn. */
  readonly polygons: readonly (readonly EventPoint[])[];
}

export type EventPoint = readonly [x: number, y: number];
