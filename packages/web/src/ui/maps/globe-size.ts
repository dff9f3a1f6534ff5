/** Side of the square of the large drawings, whose disc has a radius of 430; see maps/drawing.ts. */
export const globeSize = 900
