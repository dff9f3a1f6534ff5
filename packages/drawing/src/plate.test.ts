import { type Place, angleBetween } from './sphere.ts'
import { expect, test } from 'vitest'
import { arcBetween, toPath, type Plate, project } from './plate.ts'

const newYork: Place = [-74, 40.7]
const lyon: Place = [4.8, 45.8]
const createPlate = (centre: Place): Plate => ({ centre, x: 450, y: 450, radius: 430 })

test('the place under the viewer is the middle of the disc', () => {
  const { x, y, visible } = project(createPlate(newYork), newYork)
  expect([Math.round(x), Math.round(y), visible]).toEqual([450, 450, true])
})

test('north is up, east is right, and the other side is hidden', () => {
  const plate = createPlate([0, 0])
  expect(project(plate, [0, 90]).y).toBeCloseTo(20)
  expect(project(plate, [90, 0]).x).toBeCloseTo(880)
  expect(project(plate, [180, 0]).visible).toBe(false)
})

test('New York is 6,140 km from Lyon', () => {
  expect(Math.round((angleBetween(newYork, lyon) * 6371) / 10)).toBe(614)
})

test('an arc runs from one place to the other, and is empty if they are equal', () => {
  const plate = createPlate([-28, 29])
  const path = toPath(arcBetween(plate, newYork, lyon))
  const start = project(plate, newYork)
  const end = project(plate, lyon)
  expect(path.startsWith(`M${start.x.toFixed(1)} ${start.y.toFixed(1)}L`)).toBe(true)
  expect(path.endsWith(`L${end.x.toFixed(1)} ${end.y.toFixed(1)}`)).toBe(true)
  expect(toPath(arcBetween(plate, newYork, newYork))).toBe('')
})

test('an arc over the edge of the globe is visible until the globe hides it', () => {
  const plate = createPlate([-48, 32])
  const arc = arcBetween(plate, newYork, [77.6, 13])
  const centreDistances = arc.map(({ x, y }) => Math.hypot(x - plate.x, y - plate.y))
  const farthestIndex = centreDistances.indexOf(Math.max(...centreDistances))
  expect(centreDistances[farthestIndex]).toBeGreaterThan(plate.radius)
  // The arc comes back to the edge of the globe, to within 20 units.
  expect(farthestIndex).toBeLessThan(arc.length - 2)
  expect(centreDistances.at(-1)).toBeLessThan(plate.radius + 20)
})
