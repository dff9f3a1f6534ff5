import type { Plate, Place } from './orthographic.ts'

/** From where the globe behind the balance is seen; each view is a drawing of its own, `<name>.svg`, made by maps/draw.ts. */
export const views = {
  atlantic: [-48, 32],
  europe: [35, 30],
  asia: [80, 5],
  pacific: [125, 2],
  americas: [-55, 8],
} as const satisfies Record<string, Place>

export type ViewName = keyof typeof views

/** The size of each drawing. */
export const plateWidth = 720
export const plateHeight = 480

/** How much smaller the globe is in the strip of phones, where 80 px of it are seen. Lines and lettering never scale. */
export const stripScale = 0.735

/** The globe's disc on the drawing of this view. */
export const plateOf = (name: ViewName, scale = 1): Plate => ({
  centre: views[name],
  x: 360 * scale,
  y: 290 * scale,
  radius: 272 * scale,
})
