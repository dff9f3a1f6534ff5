import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { planFaults } from './faults.ts'
import { shortenedFiles } from './parts.ts'

const countKinds = (kinds: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]))

test('a seed decides every kill', () => {
  const plan = { seed: 'a', kills: 200, slice: 2, slices: 3 }
  expect(planFaults(plan)).toEqual(planFaults(plan))
  expect(planFaults({ ...plan, seed: 'b' })).not.toEqual(planFaults(plan))
})

test('every slicing has a thousand kills of every kind, with 20 freezes and 10 postmaster kills', () => {
  for (const slices of [1, 4, 7]) {
    const parts = Array.from({ length: slices }, (_, index) =>
      planFaults({ seed: 'tundra', kills: 1000, slice: index + 1, slices }),
    )
    const lengths = parts.map((part) => part.length)
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    const faults = parts.flat()
    expect(faults).toHaveLength(1000)
    const counts = countKinds(faults.map(({ kind }) => kind))
    expect(counts).toMatchObject({ freeze_app: 7, freeze_backend: 7, freeze_worker: 6 })
    expect(counts).toMatchObject({ kill_postmaster: 5, kill_everything: 5 })
    expect(Object.keys(counts)).toHaveLength(13)
    expect(Math.min(...Object.values(counts))).toBeGreaterThanOrEqual(5)
    const freezeSeconds = faults.filter(({ kind }) => kind.startsWith('freeze')).map(({ seconds }) => seconds)
    expect(Math.max(...freezeSeconds)).toBe(20)
    // Rare faults are distributed over the slices.
    const rareCounts = parts.map((part) => part.filter(({ kind }) => /^freeze|postmaster|everything/.test(kind)).length)
    expect(Math.max(...rareCounts) - Math.min(...rareCounts)).toBeLessThanOrEqual(1)
  }
})

test('even a few kills include the rare ones', () => {
  const kinds = planFaults({ seed: 'a', kills: 20, slice: 1, slices: 1 }).map(({ kind }) => kind)
  expect(kinds).toHaveLength(20)
  expect(kinds).toEqual(expect.arrayContaining(['kill_postmaster', 'kill_everything', 'freeze_app']))
})

test('every integration test with a short form runs in full', () => {
  const root = path.join(import.meta.dirname, '../..')
  const filesWithShortForm = fs
    .globSync('packages/server/src/**/*.test.ts', { cwd: root })
    .filter((file) => fs.readFileSync(path.join(root, file), 'utf8').includes("from '@tern/testkit/length'"))
  expect(Object.values(shortenedFiles).flat().toSorted()).toEqual(filesWithShortForm.toSorted())
})
