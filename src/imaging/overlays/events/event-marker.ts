/** An event in a frame. */
export interface EventMarker {
  /** Two or three letters for its type, such as `AR`. */
  readonly pin: string;
  /** Six hexadecimal digits, with or without `#`. */
  readonly colour: string;
  /** Position in pixels of the frame, y down; may be outside the frame. */
  readonly x: number;
  readonly y: number;
  /**
   * Position at an instant that neighbouring frames share, in pixels of this frame. Labels are placed by it, so that they move
   * steadily with their pins from frame to frame. Default: x, y.
   */
  readonly anchor?: EventPoint;
  /** Lines of the label as received, escapes included; empty for no label. */
  readonly label: readonly string[];
  /** Outlines in pixels of the frame. Those with fewer than three points are not drawn. */
  readonly polygons: readonly (readonly EventPoint[])[];
}

export type EventPoint = readonly [x: number, y: number];
