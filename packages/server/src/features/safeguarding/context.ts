import type { SafeguardingBank } from '@tern/providers/safeguarding/port'
import type { MoneyRegistry } from '../../platform/providers/money-registry.ts'

/** Dependencies of the safeguarding feature. */
export interface SafeguardingContext {
  readonly banks: readonly SafeguardingBank[]
  /** Payment providers whose books must be compared before a day's statements. */
  readonly providers: Pick<MoneyRegistry, 'all'>
  readonly now: () => Date
  readonly log: Record<'warn' | 'error', (details: object, message: string) => void>
}
