// List of features in dependency order: each may import earlier ones, and refer to their tables in its schema.

import * as platform from '../platform/tables.ts'
import * as compliance from './compliance/tables.ts'
import * as desk from './desk/tables.ts'
import * as disputes from './disputes/tables.ts'
import * as exchange from './exchange/tables.ts'
import * as identity from './identity/tables.ts'
import * as insight from './insight/tables.ts'
import * as kyc from './kyc/tables.ts'
import * as liabilities from './liabilities/tables.ts'
import * as limits from './limits/tables.ts'
import * as notifications from './notifications/tables.ts'
import * as orders from './orders/tables.ts'
import * as payments from './payments/tables.ts'
import * as prices from './prices/tables.ts'
import * as privacy from './privacy/tables.ts'
import * as requests from './requests/tables.ts'
import * as risk from './risk/tables.ts'
import * as safeguarding from './safeguarding/tables.ts'
import * as schedules from './schedules/tables.ts'
import * as statements from './statements/tables.ts'
import * as transfers from './transfers/tables.ts'
import * as transparency from './transparency/tables.ts'
import * as treasury from './treasury/tables.ts'
import * as waitlist from './waitlist/tables.ts'
import * as wallets from './wallets/tables.ts'
import type { Tables } from '../platform/database/tables.ts'

const manifests = {
  notifications,
  identity,
  kyc,
  compliance,
  limits,
  wallets,
  risk,
  exchange,
  treasury,
  prices,
  transfers,
  orders,
  schedules,
  payments,
  safeguarding,
  requests,
  disputes,
  transparency,
  statements,
  liabilities,
  privacy,
  desk,
  waitlist,
  insight,
}

export const features = Object.keys(manifests)

interface Manifest {
  readonly tables: Tables
  readonly definerFunctions?: Readonly<Record<string, boolean>>
}

const allManifests: readonly Manifest[] = [platform, ...Object.values(manifests)]

/** Names of each feature's tables, whichever file of the schema creates them. */
export const tableNames: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({ platform, ...manifests }).map(([name, manifest]) => [name, Object.keys(manifest.tables)]),
)

/** All tables of the database. */
export const tables: Tables = Object.assign({}, ...allManifests.map((manifest) => manifest.tables))

/** All definer functions; true if the application may call them directly. */
export const definerFunctions: Readonly<Record<string, boolean>> = Object.assign(
  {},
  ...allManifests.map((manifest) => manifest.definerFunctions ?? {}),
)
