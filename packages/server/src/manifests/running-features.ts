// Gauges, warnings and followers of the features, for app and worker alike.

import type { Follower, Gauge, Role } from './feature.ts'
import { manifests } from './manifests.ts'
import { repeat, type Repetition } from '../platform/events/repeat.ts'
import { watchPlatform } from '../platform/operations/gauges.ts'
import { type HealthWarning, readProviderFaults } from '../platform/operations/health.ts'
import type { Metrics } from '../platform/runtime/metrics.ts'
import type { Product } from '../product.ts'

/** Registers the gauges for operators. docs/operating.md lists them. */
export function watchProduct(metrics: Metrics, product: Product): void {
  watchPlatform(metrics, product)
  for (const { gauges = [] } of manifests) {
    for (const gauge of gauges) watchGauge(metrics, gauge, product)
  }
}

function watchGauge(metrics: Metrics, gauge: Gauge, product: Product): void {
  const { name, help, isInMemory } = gauge
  const read = async <T>(work: () => T | Promise<T>): Promise<T> =>
    isInMemory ? work() : product.databaseWatch.whileThere(async () => work())
  const options = { name, help, isShared: !isInMemory }
  if (gauge.label === undefined) metrics.watch(options, () => read(() => gauge.read(product)))
  else metrics.watchEach({ ...options, label: gauge.label }, () => read(() => gauge.read(product)))
}

/** Returns faults for operators: first of providers that reject our key or calls, then of features. */
export async function readWarnings(metrics: Metrics, product: Product): Promise<HealthWarning[]> {
  const featureWarnings = manifests.map(async ({ warnings }) => (await warnings?.(product)) ?? [])
  return (await Promise.all([readProviderFaults(metrics), ...featureWarnings])).flat()
}

/** Prepares each feature in dependency order, before the process is ready. */
export async function prepareFeatures(product: Product, role: Role): Promise<void> {
  for (const { prepare } of manifests) await prepare?.(product, role)
}

export const listFollowers = (role: Role): Follower[] =>
  manifests.flatMap(({ followers = [] }) => followers).filter((follower) => follower.in.includes(role))

export const startFollowers = (product: Product, role: Role): Repetition[] =>
  listFollowers(role).map(({ run, ...timing }) => repeat(() => run(product), { ...timing, log: product.log }))
