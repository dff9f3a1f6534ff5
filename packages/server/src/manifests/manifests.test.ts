import { deskQueues } from '@tern/contract/desk/roles'
import { parseCrontab } from 'graphile-worker'
import { expect, test } from 'vitest'
import { rules } from '../commands/audit/rules.ts'
import { features } from '../features/list.ts'
import type { Feature, Role } from './feature.ts'
import { manifests } from './manifests.ts'
import { listFollowers } from './running-features.ts'

interface NamedItem {
  readonly name: string
  readonly feature: string
}

/** Returns the names in one list of each feature, with the feature. */
const listNames = (list: (feature: Feature) => readonly { readonly name: string }[] | undefined): NamedItem[] =>
  manifests.flatMap((feature) => (list(feature) ?? []).map(({ name }) => ({ name, feature: feature.name })))

/** Returns a sentence for each name that is used more than once. */
const findRepeated = (items: readonly NamedItem[], kind: string): string[] =>
  items
    .filter(({ name }, index) => items.findIndex((otherItem) => otherItem.name === name) !== index)
    .map(
      ({ name, feature }) =>
        `features/${feature}/feature.ts: another ${kind} is named ${name}; give this one another name`,
    )

test('each listed feature has a manifest of its name', () => {
  expect(manifests.map(({ name }) => name)).toEqual(features)
})

test('tasks and jobs have unique names, and tasks a schedule', () => {
  const names = listNames(({ tasks = [], jobs = [] }) => [...tasks, ...jobs])
  expect(names.length).toBeGreaterThan(20)
  expect(findRepeated(names, 'task or job')).toEqual([])
  for (const { name, at } of manifests.flatMap(({ tasks = [] }) => tasks))
    expect(() => parseCrontab(`${at} ${name}`), name).not.toThrow()
})

test('each desk queue belongs to exactly one feature', () => {
  const names = listNames((feature) => feature.deskQueues).map(({ name }) => name)
  expect(names.toSorted()).toEqual(deskQueues.toSorted())
})

test('the app refreshes rates and leaves the other followers to the worker', () => {
  const failures = (role: Role) => listFollowers(role).map(({ failure }) => failure)
  expect(failures('app')).toEqual(['rates were not refreshed'])
  expect(failures('worker')).toContain('transactions were not indexed')
})

test('metrics have unique names', () => {
  const gauges = listNames((feature) => feature.gauges)
  expect(gauges.length).toBeGreaterThan(10)
  expect(findRepeated(gauges, 'gauge')).toEqual([])
})

test('audit rules have unique names', () => {
  const items = listNames((feature) => feature.auditRules)
  expect(items.length).toBeGreaterThan(40)
  expect(findRepeated(items, 'audit rule')).toEqual([])
  expect(new Set(rules.map(({ name }) => name)).size, 'also beside those of the platform').toBe(rules.length)
})
