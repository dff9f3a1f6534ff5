import type { Place } from '@tern/drawing/sphere'
import type { Plate } from '@tern/drawing/plate'

/** Sides of the globe behind the balance. Each is a separate drawing, `<name>.svg`, made by maps/draw.ts. */
export const views = {
  atlantic: [-48, 32],
  europe: [35, 30],
  asia: [80, 5],
  pacific: [125, 2],
  americas: [-55, 8],
} as const satisfies Record<string, Place>

export type ViewName = keyof typeof views

export const plateWidth = 720
export const plateHeight = 480

/** Scale of the globe in the strip shown on phones, which is 80 px high. Lines and lettering are not scaled. */
export const stripScale = 0.735

/** Disc of the globe on the drawing of a view. */
export const buildPlate = (name: ViewName, scale = 1): Plate => ({
  centre: views[name],
  x: 360 * scale,
  y: 290 * scale,
  radius: 272 * scale,
})
