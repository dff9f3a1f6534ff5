import { type Box, type Segment, crosses } from '@tern/drawing/boxes'
import type { Place } from '@tern/drawing/sphere'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readCoast } from './coast.ts'
import { placeLabels } from '@tern/drawing/label-placement'
import { arcBetween, project } from '@tern/drawing/plate'
import { buildPlate, type ViewName, views } from './views.ts'

const frame: Box = { left: 0, top: 0, right: 400, bottom: 300 }
const noObstacles = { coast: [], routes: [] }
const overlap = (a: Box, b: Box) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top

test('without obstacles a label is to the right of its dot', () => {
  const [label] = placeLabels([{ x: 100, y: 100, width: 40 }], noObstacles, frame)
  expect(label).toEqual({ box: { left: 108, top: 92, right: 154, bottom: 108 }, leader: undefined })
})

test('in a narrow strait it moves out with a leader line, and without room it is omitted', () => {
  const twoWalls: Segment[] = [85, 115].flatMap((x) => [[x, 0, x, 160] as const])
  const [farLabel] = placeLabels([{ x: 100, y: 100, width: 40 }], { ...noObstacles, coast: twoWalls }, frame)
  expect(farLabel?.leader).toBeDefined()
  const tinyFrame: Box = { left: 90, top: 90, right: 110, bottom: 110 }
  expect(placeLabels([{ x: 100, y: 100, width: 40 }], noObstacles, tinyFrame)).toEqual([undefined])
})

test('a leader line may cross a coast, but no other route', () => {
  const wall: Segment[] = [[115, 0, 115, 300]]
  const obstacles: Segment[] = [
    [85, 0, 85, 300],
    [0, 80, 400, 80],
    [0, 120, 400, 120],
  ]
  const request = [{ x: 100, y: 100, width: 40 }]
  expect(placeLabels(request, { coast: [...wall, ...obstacles], routes: [] }, frame)[0]?.leader).toBeDefined()
  expect(placeLabels(request, { coast: [], routes: [...wall, ...obstacles] }, frame)).toEqual([undefined])
})

test('labels never touch a line, a dot, one another or the frame', () => {
  const coordinate = (maxValue: number) => fc.double({ min: 0, max: maxValue, noNaN: true })
  const dots = fc.array(
    fc.record({ x: coordinate(400), y: coordinate(300), width: fc.integer({ min: 20, max: 120 }) }),
    {
      maxLength: 6,
    },
  )
  const lines = fc.array(fc.tuple(coordinate(400), coordinate(300), coordinate(400), coordinate(300)), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(dots, lines, (requests, segments) => {
      const boxes = placeLabels(requests, { coast: segments, routes: segments }, frame).flatMap((label) =>
        label ? [label.box] : [],
      )
      boxes.forEach((box, index) => {
        expect(segments.some((segment) => crosses(segment, box))).toBe(false)
        expect(
          requests.some(({ x, y }) => overlap(box, { left: x - 7, top: y - 7, right: x + 7, bottom: y + 7 })),
        ).toBe(false)
        expect(boxes.some((otherBox, at) => at !== index && overlap(box, otherBox))).toBe(false)
        expect(box.left >= 0 && box.top >= 0 && box.right <= 400 && box.bottom <= 300).toBe(true)
      })
    }),
    { seed: 20_261_128 },
  )
})

test('every drawing includes the whole coast, and the labels of two countries do not cross it', () => {
  for (const name of Object.keys(views) as ViewName[]) {
    const coast = readCoast(readFileSync(new URL(`${name}.svg`, import.meta.url), 'utf8'))
    expect(coast.length).toBeGreaterThan(300)
  }
  const plate = buildPlate('europe')
  const coast = readCoast(readFileSync(new URL('europe.svg', import.meta.url), 'utf8'))
  const cities: Place[] = [
    [-0.1, 51.5],
    [8.7, 50.1],
  ]
  const requests = cities.map((city) => {
    const { x, y } = project(plate, city)
    return { x, y, width: 52 }
  })
  const labels = placeLabels(requests, { coast, routes: [] }, { left: 136, top: 52, right: 584, bottom: 428 })
  expect(labels.every((label) => label && !coast.some((segment) => crosses(segment, label.box)))).toBe(true)
})

test('of two cities close together, the upper one has the upper label', () => {
  const plate = buildPlate('atlantic')
  const coast = readCoast(readFileSync(new URL('atlantic.svg', import.meta.url), 'utf8'))
  const home: Place = [-74, 40.7]
  const [frankfurt, london]: [Place, Place] = [
    [8.7, 50.1],
    [-0.1, 51.5],
  ]
  const routes = [frankfurt, london].flatMap((city) => {
    const arc = arcBetween(plate, home, city)
    return arc.slice(1).map(({ x, y }, index): Segment => [arc[index]?.x ?? x, arc[index]?.y ?? y, x, y])
  })
  const requests = [home, frankfurt, london].map((city) => {
    const { x, y } = project(plate, city)
    return { x, y, width: 52 }
  })
  const [, upper, lower] = placeLabels(requests, { coast, routes }, { left: 199, top: 58, right: 575, bottom: 422 })
  expect(requests[1]?.y).toBeLessThan(requests[2]?.y ?? 0)
  expect(upper?.box.bottom).toBeLessThan(lower?.box.top ?? 0)
})
