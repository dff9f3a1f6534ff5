import { range } from './globe.ts'

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1000, 2000]
const mostSegments = 9

/** The kilometers of one segment of a bar that is `total` long. */
export const segmentOf = (total: number): number => steps.find((step) => step >= total / mostSegments) ?? 2000

/** A bar as long as the route: its marks by the part of its length where they stand. */
export interface ScaleBar {
  readonly total: number
  readonly segment: number
  readonly segments: readonly { readonly from: number; readonly to: number; readonly isDark: boolean }[]
  /** All but the end, which always has its figure. `isEven` ones stay where room is short. */
  readonly marks: readonly { readonly km: number; readonly at: number; readonly isEven: boolean }[]
}

/** How much of the bar the figure of its end takes. */
const endRoom = 0.12

/** The bar that measures a distance in kilometers. */
export function scaleBar(total: number, segment = segmentOf(total)): ScaleBar {
  const starts = range(0, total, segment).filter((km) => km < total || km === 0)
  return {
    total,
    segment,
    segments: starts.map((km, index) => ({
      from: km / total,
      to: Math.min(1, (km + segment) / total),
      isDark: index % 2 === 0,
    })),
    marks: starts
      .map((km, index) => ({ km, at: km / total, isEven: index % 2 === 0 }))
      .filter(({ at }) => at === 0 || at < 1 - endRoom),
  }
}
