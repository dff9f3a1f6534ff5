// The manifest of a feature: everything the app, the worker and the audit know about it.

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

/** Task that the worker runs by the clock. A run that is due while the last one is running is left out. */
export interface Task {
  /** Unique among tasks and jobs. */
  readonly name: string
  /** Minute, hour, day, month and weekday, as in crontab. */
  readonly at: string
  /** Roles of the installation in which the task also runs when the worker starts. */
  readonly atStart?: 'always' | 'production'
  readonly run: (product: Product) => Promise<unknown>
}

/** Job that a transaction stores and the worker runs. */
export interface Job {
  /** Unique among tasks and jobs. */
  readonly name: string
  readonly atOnce: number
  /** Jobs that wait for a slow service have a separate runner, so that they do not delay others. */
  readonly hasOwnRunner: boolean
  readonly run: (product: Product, payload: unknown) => Promise<unknown>
}

/** Follower of committed changes, repeated while the process runs. Safe with any number of processes. */
export interface Follower extends Omit<RepeatedTask, 'log'> {
  readonly in: readonly Role[]
  readonly run: (product: Product) => Promise<void>
}

interface GaugeWithValue<T> {
  readonly name: string
  readonly help: string
  /** Read without the database, so also served during its outages. */
  readonly isInMemory?: true
  readonly read: (product: Product) => T | Promise<T>
}

/** One figure. */
export interface SingleGauge extends GaugeWithValue<number> {
  readonly label?: undefined
}

/** One figure for each value of a label. */
export interface LabelledGauge extends GaugeWithValue<Readonly<Record<string, number>>> {
  readonly label: string
}

/** Figure that operators watch; NaN where it cannot be read. docs/operating.md lists them. */
export type Gauge = SingleGauge | LabelledGauge

export interface Feature {
  /** Name of its folder. */
  readonly name: string
  /** Registers its calls below `/api`. */
  readonly routes?: (api: FastifyInstance, product: Product) => void
  /** Registers addresses outside `/api`. */
  readonly rootRoutes?: (http: FastifyInstance, product: Product) => void
  readonly tasks?: readonly Task[]
  readonly jobs?: readonly Job[]
  readonly followers?: readonly Follower[]
  readonly gauges?: readonly Gauge[]
  /** Runs in the transactions of an account's events, in the order of the features. */
  readonly accountEvents?: AccountEvents
  /** Queues of the operators' desk. */
  readonly deskQueues?: readonly Queue[]
  /** Rules of `npx tern audit` about its tables, in report order. */
  readonly auditRules?: readonly AuditRule[]
  /** Runs before a process of this role is ready. */
  readonly prepare?: (product: Product, role: Role) => Promise<void>
  /** Returns why the app should get no traffic. */
  readonly findReadinessProblem?: (product: Product) => ReadinessProblem | undefined
  /** Returns faults for operators to fix. */
  readonly warnings?: (product: Product) => Promise<readonly HealthWarning[]>
  /** Reads rules that public pages show. */
  readonly publishedRules?: (product: Product) => Promise<Partial<PublishedRules>>
}
