// not money: boxes and distances on a drawing.
import { type Box, contains, crosses, overlap, type Segment } from '@tern/drawing/boxes'
import {
  dotBox,
  labelCandidate,
  labelDirections,
  labelGaps,
  labelMargin,
  leaderFrom,
  type PlacedLabel,
} from '@tern/drawing/label-placement'
import type { Point } from './view.ts'

/** Label at a point, with the size of its text. */
export interface LabelSize {
  readonly at: Point
  readonly width: number
  readonly height: number
}

export interface LabelPlace {
  readonly x: number
  readonly y: number
  /** End of the leader line, if the label is too far from its point to be read without one. */
  readonly leaderEnd?: Point
}

const gaps = [...labelGaps, 156, 190]
const directions = labelDirections.slice(0, 12)

/**
 * Places labels beside their points inside `freeBox`, without crossing lines or covering dots and other labels; farther
 * away, with a leader, in crowded areas. A label without such a place crosses lines instead of being omitted.
 */
export function placeLabels(labelSizes: readonly LabelSize[], lines: readonly Segment[], freeBox: Box): LabelPlace[] {
  const requests = labelSizes.map(({ at: [x, y], width, height }) => ({ x, y, width, height }))
  const takenBoxes = requests.map(dotBox)
  return requests.map((request) => {
    const isFree = ({ box }: PlacedLabel) =>
      contains(freeBox, box) && !takenBoxes.some((placedBox) => overlap(box, placedBox))
    const freePlaces = gaps
      .flatMap((gap) => directions.map((degrees) => labelCandidate(request, gap, degrees)))
      .filter(isFree)
    const { box, leader } =
      freePlaces.find((place) => !lines.some((line) => crosses(line, place.box))) ??
      freePlaces[0] ??
      labelCandidate(request, leaderFrom, 0)
    takenBoxes.push(box)
    const x = box.left + labelMargin
    const y = box.top + 1
    return leader ? { x, y, leaderEnd: [leader[2], leader[3]] } : { x, y }
  })
}
