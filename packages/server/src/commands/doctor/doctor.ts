// npx tern doctor: checks an installation. It reads, changes nothing, and moves no money.

import fs from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../platform/database/db.ts'
import { createProviders } from '../../platform/providers/providers.ts'
import { readConfig } from '../../platform/runtime/config.ts'
import { createMetrics } from '../../platform/runtime/metrics.ts'
import type { Environment } from '../../platform/runtime/settings.ts'
import { parse, type RunCommand, UsageError } from '../terminal.ts'
import { completeSettings } from '../with-product.ts'
import { backgroundChecks } from './background.ts'
import { bookChecks } from './books.ts'
import type { Check, Finding, Machine } from './check.ts'
import { clockChecks } from './clocks.ts'
import { databaseChecks } from './database.ts'
import { deskChecks } from './desk.ts'
import { diskChecks } from './disks.ts'
import { logChecks } from './log.ts'
import { listAndRateChecks } from './lists-and-rates.ts'
import { listProviderChecks, settingChecks } from './providers.ts'
import { publicAddressChecks } from './public-address.ts'
import { formatJson, formatReport, hideSecrets } from './report.ts'
import { replicaChecks } from './replicas.ts'
import { roleChecks } from './roles.ts'
import { checkTimeoutMs, runChecks } from './run-checks.ts'
import { secretChecks } from './secrets.ts'

const databaseTimeoutMs = 10_000
const databaseConnections = 4
const closeTimeoutMs = 2000

const plainHttpPort = 80

const thisMachine: Machine = {
  now: () => new Date(),
  async readDisk(folder) {
    const { bavail, blocks, bsize } = await fs.statfs(folder)
    return { free: bavail * bsize, total: blocks * bsize }
  },
  plainPort: plainHttpPort,
}

interface Choice {
  /** Names or areas of the checks to run; empty for all. */
  readonly only?: readonly string[]
  readonly machine?: Machine
  readonly timeoutMs?: number
}

const isChosen = (name: string, only: readonly string[]): boolean =>
  only.length === 0 || only.some((chosen) => name === chosen || name.startsWith(`${chosen}.`))

/** Runs the chosen checks with the product's settings. Throws ConfigError, and UsageError if no check is chosen. */
export async function examine(
  environment: Environment,
  { only = [], machine = thisMachine, timeoutMs = checkTimeoutMs }: Choice = {},
): Promise<Finding[]> {
  const settings = completeSettings(environment)
  const config = readConfig(settings)
  const providers = await createProviders(config, createMetrics())
  const ownerUrl = settings.MIGRATION_DATABASE_URL
  const readOnly = { readOnlyForMs: databaseTimeoutMs }
  const db = connect(settings.DATABASE_URL, databaseConnections, readOnly)
  const ownerDb = ownerUrl === undefined ? undefined : connect(ownerUrl, 1, readOnly)
  try {
    const all: readonly Check[] = [
      ...settingChecks,
      ...databaseChecks,
      ...replicaChecks,
      ...roleChecks,
      ...secretChecks,
      ...clockChecks,
      ...diskChecks,
      ...publicAddressChecks,
      ...listProviderChecks(providers),
      ...listAndRateChecks,
      ...backgroundChecks,
      ...deskChecks,
      ...bookChecks,
      ...logChecks,
    ]
    const chosen = all.filter(({ name }) => isChosen(name, only))
    if (only.some((name) => !all.some((check) => isChosen(check.name, [name])))) throw new UsageError()
    const ctx = { config, environment: settings, db, ownerDb, providers, machine }
    const findings = await runChecks(ctx, chosen, timeoutMs)
    return findings.map((finding) => withoutSecrets(finding, settings))
  } finally {
    providers.close()
    // A server that hangs does not close its connections either.
    await Promise.race([Promise.all([db.end(), ownerDb?.end()]), delay(closeTimeoutMs)])
  }
}

const withoutSecrets = ({ todo, ...finding }: Finding, settings: Environment): Finding => ({
  ...finding,
  found: hideSecrets(finding.found, settings),
  ...(todo === undefined ? {} : { todo: hideSecrets(todo, settings) }),
})

/** Exit code 1 if there is a fault; warnings, and what could not be checked, do not count. */
export const run: RunCommand = async ({ environment, print }, parameters) => {
  const { values } = parse({
    args: [...parameters],
    options: { only: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } },
  })
  const findings = await examine(environment, { only: values.only ?? [] })
  print(values.json ? formatJson(findings, new Date()) : formatReport(findings))
  return findings.some(({ verdict }) => verdict === 'fault') ? 1 : 0
}
