// not money: angles and positions on a drawing.
import type { Box } from '@tern/drawing/boxes'
import type { Place } from '@tern/drawing/sphere'
import { alongWay, projectPlace, type View } from './view.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Radius of the large, cropped globe, as a share of the drawing's shorter side. */
const largeRadius = 344 / 720

const mix = (from: number, to: number, way: number) => from + (to - from) * way

/** Checks that a place is inside `room` and not too close to the globe's edge. */
function isInView(view: View, place: Place, room: Box, margin: number, edge: number): boolean {
  const point = projectPlace(view, place)
  if (!point) return false
  const [x, y] = point
  return (
    x > room.left + margin &&
    x < room.right - margin &&
    y > room.top + margin &&
    y < room.bottom - margin &&
    Math.hypot(x - view.x, y - view.y) < view.radius * edge
  )
}

/**
 * View that shows both places: large and cropped if both fit into `room`, otherwise zoomed out in steps towards the
 * whole globe above the middle of the route.
 */
export function aimAt(from: Place, to: Place, { width, height }: Size, room: Box): View {
  const middle = alongWay(from, to, 0.5)
  const apart = Math.abs(from[0] - to[0])
  const across = Math.min(apart, 360 - apart)
  const up = Math.abs(from[1] - to[1])
  // A north–south route is viewed from beside it, so that it leans; every route from slightly below.
  const beside = middle[0] + (up > across ? (30 * up) / (across + up) : 0)
  const below = middle[1] * 0.55 - 2
  const fullRadius = Math.min(room.right - room.left, room.bottom - room.top) / 2 - 2
  const large = Math.min(width, height) * largeRadius
  let view: View = { longitude: middle[0], latitude: middle[1], x: 0, y: 0, radius: 0 }
  for (let step = 0; step <= 5; step++) {
    const shrinks = step / 5
    for (const turns of [0, 0.35, 0.7, 1]) {
      view = {
        longitude: mix(beside, middle[0], turns),
        latitude: mix(below, middle[1], turns),
        radius: mix(large, fullRadius, shrinks),
        x: mix(width / 2, (room.left + room.right) / 2, shrinks),
        y: mix(height / 2, (room.top + room.bottom) / 2, shrinks),
      }
      const margin = step === 5 ? 9 : 22
      const edge = step === 5 && turns === 1 ? 0.999 : 0.985
      const current = view
      if ([from, to].every((place) => isInView(current, place, room, margin, edge))) return view
    }
  }
  return view
}

/** Interpolates two views along the shorter rotation. */
export function viewBetween(from: View, to: View, way: number): View {
  const turn = ((((to.longitude - from.longitude + 540) % 360) + 360) % 360) - 180
  return {
    longitude: from.longitude + turn * way,
    latitude: mix(from.latitude, to.latitude, way),
    x: mix(from.x, to.x, way),
    y: mix(from.y, to.y, way),
    radius: mix(from.radius, to.radius, way),
  }
}
