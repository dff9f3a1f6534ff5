import { expect, test } from 'vitest'
import { arcBetween, distanceBetween, type Place, project } from './orthographic.ts'

const newYork: Place = [-74, 40.7]
const lyon: Place = [4.8, 45.8]

test('the place under the viewer is the middle of the drawing', () => {
  const { x, y, visible } = project(newYork, newYork)
  expect([Math.round(x), Math.round(y), visible]).toEqual([450, 450, true])
})

test('north is up, east is right, and the other side is hidden', () => {
  expect(project([0, 0], [0, 90]).y).toBeCloseTo(20)
  expect(project([0, 0], [90, 0]).x).toBeCloseTo(880)
  expect(project([0, 0], [180, 0]).visible).toBe(false)
})

test('New York is 6,140 km from Lyon', () => {
  expect(Math.round((distanceBetween(newYork, lyon) * 6371) / 10)).toBe(614)
})

test('an arc runs from one place to the other, and nowhere when they are one', () => {
  const centre: Place = [-28, 29]
  const path = arcBetween(centre, newYork, lyon)
  const start = project(centre, newYork)
  const end = project(centre, lyon)
  expect(path.startsWith(`M${start.x.toFixed(1)} ${start.y.toFixed(1)}L`)).toBe(true)
  expect(path.endsWith(`L${end.x.toFixed(1)} ${end.y.toFixed(1)}`)).toBe(true)
  expect(arcBetween(centre, newYork, newYork)).toBe('')
})
