import { expect, test } from 'vitest'
import { directionOf, kilometersBetween, placeBetween, routePaths, seen, viewBetween, viewOf } from './globe.ts'
import { isPlaced, placeOf, type Position } from './currency-places.ts'

const codes = ['USD', 'GBP', 'CAD', 'AUD', 'EUR', 'JPY', 'SGD', 'INR', 'BRL']
const size = { width: 640, height: 280 }
const at = (code: string): Position => (isPlaced(code) ? placeOf(code).at : [0, 0])

test('the distance is that of the great circle', () => {
  expect(kilometersBetween(at('USD'), at('GBP'))).toBe(5570)
  expect(kilometersBetween(at('USD'), at('EUR'))).toBe(6203)
  expect(placeBetween([0, 0], [90, 0], 0.5)[0]).toBeCloseTo(45)
})

test('every route between two cities lies in the drawing, both ends in sight', () => {
  for (const from of codes) {
    for (const to of codes.filter((code) => code !== from)) {
      const view = viewOf(at(from), at(to), size)
      const see = seen(view, size)
      for (const part of [0, 0.25, 0.5, 0.75, 1]) {
        const { x, y, visible } = see(directionOf(placeBetween(at(from), at(to), part)))
        expect([from, to, part, visible]).toEqual([from, to, part, true])
        expect(x).toBeGreaterThan(40)
        expect(x).toBeLessThan(size.width - 40)
        expect(y).toBeGreaterThan(20)
        expect(y).toBeLessThan(size.height - 20)
      }
    }
  }
})

test('a tick stands for each thousand kilometers', () => {
  const { line, ticks } = routePaths(at('USD'), at('EUR'), viewOf(at('USD'), at('EUR'), size), size)
  expect(line.match(/M/g)).toHaveLength(1)
  expect(ticks.match(/M/g)).toHaveLength(6)
})

test('a turn begins and ends at its views', () => {
  const [a, b] = [viewOf(at('USD'), undefined, size), viewOf(at('USD'), at('JPY'), size)]
  expect(viewBetween(a, b, 0).radius).toBeCloseTo(a.radius)
  expect(viewBetween(a, b, 1).centre[0]).toBeCloseTo(b.centre[0])
})

test('cryptocurrencies have no city', () => {
  expect(['BTC', undefined, 'toString'].map(isPlaced)).toEqual([false, false, false])
})
