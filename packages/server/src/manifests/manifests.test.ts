import { parseCrontab } from 'graphile-worker'
import { expect, test } from 'vitest'
import { rules } from '../commands/audit/rules.ts'
import { features } from '../features/list.ts'
import { manifests } from './manifests.ts'

const tasks = manifests.flatMap((feature) => (feature.tasks ?? []).map((task) => ({ ...task, of: feature.name })))
const jobs = manifests.flatMap((feature) => (feature.jobs ?? []).map((job) => ({ ...job, of: feature.name })))

/** Returns a sentence for each name that several features use. */
const repeated = (named: readonly { readonly name: string; readonly of: string }[], kind: string): string[] =>
  named
    .filter(({ name }, index) => named.findIndex((other) => other.name === name) !== index)
    .map(({ name, of }) => `features/${of}/feature.ts: another ${kind} is named ${name}; give this one another name`)

test('each feature of the list has a manifest of its name', () => {
  expect(manifests.map(({ name }) => name)).toEqual(features)
})

test('tasks and jobs have names of their own, and tasks a time', () => {
  expect(tasks.length).toBeGreaterThan(20)
  expect(repeated([...tasks, ...jobs], 'task or job')).toEqual([])
  for (const { name, at } of tasks) expect(() => parseCrontab(`${at} ${name}`), name).not.toThrow()
})

test('figures have names of their own', () => {
  const gauges = manifests.flatMap((feature) => (feature.gauges ?? []).map(({ name }) => ({ name, of: feature.name })))
  expect(gauges.length).toBeGreaterThan(10)
  expect(repeated(gauges, 'gauge')).toEqual([])
})

test('audit rules have names of their own', () => {
  const named = manifests.flatMap((feature) =>
    (feature.auditRules ?? []).map(({ name }) => ({ name, of: feature.name })),
  )
  expect(named.length).toBeGreaterThan(40)
  expect(repeated(named, 'audit rule')).toEqual([])
  expect(new Set(rules.map(({ name }) => name)).size, 'also beside those of the platform').toBe(rules.length)
})
