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

/** The size of each drawing. It is shown as it is, so that lines and lettering never scale. */
export const plateWidth = 720
export const plateHeight = 480

/** The globe's disc on the drawing of this view. */
export const plateOf = (name: ViewName): Plate => ({ centre: views[name], x: 360, y: 290, radius: 272 })
