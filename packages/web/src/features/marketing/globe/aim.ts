// not money: angles and positions on a drawing.
import type { Box } from '@tern/drawing/boxes'
import type { Place } from '@tern/drawing/sphere'
import { interpolatePlace, projectPlace, type View } from './view.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Radius of the large, cropped globe, as a share of the drawing's shorter side. */
const largeRadius = 344 / 720

const mix = (from: number, to: number, share: number) => from + (to - from) * share

/** Checks that a place is inside `freeBox` and not too close to the globe's edge. */
function isInView(view: View, place: Place, freeBox: Box, margin: number, edge: number): boolean {
  const point = projectPlace(view, place)
  if (!point) return false
  const [x, y] = point
  return (
    x > freeBox.left + margin &&
    x < freeBox.right - margin &&
    y > freeBox.top + margin &&
    y < freeBox.bottom - margin &&
    Math.hypot(x - view.x, y - view.y) < view.radius * edge
  )
}

/**
 * View that shows both places: large and cropped if both fit into `freeBox`, otherwise zoomed out in steps towards the
 * whole globe above the middle of the route.
 */
export function chooseView(from: Place, to: Place, { width, height }: Size, freeBox: Box): View {
  const middle = interpolatePlace(from, to, 0.5)
  const longitudeDifference = Math.abs(from[0] - to[0])
  const longitudeGap = Math.min(longitudeDifference, 360 - longitudeDifference)
  const latitudeGap = Math.abs(from[1] - to[1])
  // A north–south route is viewed from one side, so that it is drawn at an angle; every route is viewed from nearer the
  // equator.
  const startLongitude =
    middle[0] + (latitudeGap > longitudeGap ? (30 * latitudeGap) / (longitudeGap + latitudeGap) : 0)
  const startLatitude = middle[1] * 0.55 - 2
  const fullRadius = Math.min(freeBox.right - freeBox.left, freeBox.bottom - freeBox.top) / 2 - 2
  const maxGlobeRadius = Math.min(width, height) * largeRadius
  let view: View = { longitude: middle[0], latitude: middle[1], x: 0, y: 0, radius: 0 }
  for (let step = 0; step <= 5; step++) {
    const shrinkage = step / 5
    for (const turnShare of [0, 0.35, 0.7, 1]) {
      view = {
        longitude: mix(startLongitude, middle[0], turnShare),
        latitude: mix(startLatitude, middle[1], turnShare),
        radius: mix(maxGlobeRadius, fullRadius, shrinkage),
        x: mix(width / 2, (freeBox.left + freeBox.right) / 2, shrinkage),
        y: mix(height / 2, (freeBox.top + freeBox.bottom) / 2, shrinkage),
      }
      const margin = step === 5 ? 9 : 22
      const edge = step === 5 && turnShare === 1 ? 0.999 : 0.985
      const current = view
      if ([from, to].every((place) => isInView(current, place, freeBox, margin, edge))) return view
    }
  }
  return view
}

/** Interpolates two views along the shorter rotation. */
export function viewBetween(from: View, to: View, share: number): View {
  const turn = ((((to.longitude - from.longitude + 540) % 360) + 360) % 360) - 180
  return {
    longitude: from.longitude + turn * share,
    latitude: mix(from.latitude, to.latitude, share),
    x: mix(from.x, to.x, share),
    y: mix(from.y, to.y, share),
    radius: mix(from.radius, to.radius, share),
  }
}
