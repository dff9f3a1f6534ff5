// Manifest of a feature: what it registers with the app, the worker, the desk and the audit.

import type { FastifyInstance } from 'fastify'
import type { AccountEvents } from '../platform/account-events.ts'
import type { PublishedRules } from '../platform/http/installation/filled-pages.ts'
import type { AuditRule } from '../platform/operations/audit-rule.ts'
import type { HealthWarning, ReadinessProblem } from '../platform/operations/health.ts'
import type { RepeatedTask } from '../platform/events/repeat.ts'
import type { Product } from '../product.ts'
import type { Queue } from './desk-queue.ts'

/** Kinds of process that run the product. */
export type Role = 'app' | 'worker'

/** Scheduled task of the worker. A run is skipped while the previous one is still running. */
export interface Task {
  /** Unique among tasks and jobs. */
  readonly name: string
  /** Schedule as in crontab: minute, hour, day, month and weekday. */
  readonly at: string
  /** Also runs when the worker starts: always, or only in production. */
  readonly atStart?: 'always' | 'production'
  readonly run: (product: Product) => Promise<unknown>
}

/** Job that a transaction stores and the worker runs. */
export interface Job {
  /** Unique among tasks and jobs. */
  readonly name: string
  readonly atOnce: number
  /** True for a job that waits for a slow service: it gets a separate runner, so that it does not delay others. */
  readonly hasOwnRunner: boolean
  readonly run: (product: Product, payload: unknown) => Promise<unknown>
}

/** Work that a process repeats while it runs. Safe with any number of processes. */
export interface Follower extends Omit<RepeatedTask, 'log'> {
  readonly in: readonly Role[]
  readonly run: (product: Product) => Promise<void>
}

interface GaugeWithValue<T> {
  readonly name: string
  readonly help: string
  /**
   * True if it is read without the database: each process then serves its own, also during outages. Any other gauge is
   * about the installation, and one process serves it.
   */
  readonly isInMemory?: true
  readonly read: (product: Product) => T | Promise<T>
}

/** Gauge with one value. */
export interface SingleGauge extends GaugeWithValue<number> {
  readonly label?: undefined
}

/** Gauge with one value for each value of a label. */
export interface LabelledGauge extends GaugeWithValue<Readonly<Record<string, number>>> {
  readonly label: string
}

/** Gauge for operators. If it cannot be read: NaN, or no values if it has a label. docs/operating.md lists them. */
export type Gauge = SingleGauge | LabelledGauge

export interface Feature {
  /** Name of the feature's folder. */
  readonly name: string
  /** Registers endpoints below `/api`. */
  readonly routes?: (api: FastifyInstance, product: Product) => void
  /** Registers addresses outside `/api`. */
  readonly rootRoutes?: (http: FastifyInstance, product: Product) => void
  readonly tasks?: readonly Task[]
  readonly jobs?: readonly Job[]
  readonly followers?: readonly Follower[]
  readonly gauges?: readonly Gauge[]
  /** Runs in the transactions of account events, in the order of the features. */
  readonly accountEvents?: AccountEvents
  readonly deskQueues?: readonly Queue[]
  /** Rules of `npx tern audit` about the feature's tables, in report order. */
  readonly auditRules?: readonly AuditRule[]
  /** Runs before a process of this role is ready. */
  readonly prepare?: (product: Product, role: Role) => Promise<void>
  /** Returns why the app should get no traffic; undefined while ready. */
  readonly findReadinessProblem?: (product: Product) => ReadinessProblem | undefined
  /** Returns faults for operators to fix. */
  readonly warnings?: (product: Product) => Promise<readonly HealthWarning[]>
  /** Reads the feature's rules that public pages show. */
  readonly publishedRules?: (product: Product) => Promise<Partial<PublishedRules>>
}
