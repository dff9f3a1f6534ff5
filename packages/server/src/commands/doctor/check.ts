import type { SetupFinding } from '@tern/providers/setup'
import type pg from 'pg'
import type { Providers } from '../../platform/providers/providers.ts'
import type { Config } from '../../platform/runtime/config.ts'
import type { Environment } from '../../platform/runtime/settings.ts'

/** Facts about this machine that checks use; tests replace them. */
export interface Machine {
  readonly now: () => Date
  /** Returns free and total bytes of the disk that holds a folder. */
  readonly readDisk: (folder: string) => Promise<{ readonly free: number; readonly total: number }>
  /** Port on which the address without TLS is tried. */
  readonly plainPort: number
}

export interface DoctorContext {
  readonly config: Config
  readonly environment: Environment
  /** Connections of the application's role. All transactions are read-only. */
  readonly db: pg.Pool
  /** The same database as the owner of the schema, if MIGRATION_DATABASE_URL is set. */
  readonly ownerDb: pg.Pool | undefined
  readonly providers: Providers
  readonly machine: Machine
}

export interface Check {
  /** Area and subject, such as `database.roles`. */
  readonly name: string
  /** Purpose of the check, as a sentence. */
  readonly tried: string
  readonly run: (ctx: DoctorContext) => Promise<readonly SetupFinding[]>
}

/** Line of the report. */
export interface Finding extends SetupFinding {
  readonly check: string
  readonly tried: string
}

/** Returns the product's time, which a sandbox can move. */
export const readProductTime = ({
  config,
  providers,
  machine,
}: Pick<DoctorContext, 'config' | 'providers' | 'machine'>): Date =>
  config.mode === 'sandbox' ? providers.clock.now() : machine.now()
