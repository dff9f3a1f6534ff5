import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Exchange } from '../exchange/exchange.ts'
import type { Orders } from './orders.ts'

const pauseMs = 1000
const lookForDueRatesMs = 500

interface Options {
  readonly orders: Pick<Orders, 'runDue'>
  readonly exchange: Pick<Exchange, 'readRates' | 'refreshDueRates'>
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>
}

/**
 * Runs the work that depends on the newest stored rates every second until closed. Safe with any number of processes.
 */
export function followOrders({ orders, exchange, log }: Options): { close(): Promise<void> } {
  const end = new AbortController()
  const repeat = async (ms: number, work: () => Promise<void>, failed: (error: unknown) => void) => {
    while (!end.signal.aborted) {
      await work().catch(failed)
      await delay(ms, undefined, { signal: end.signal }).catch(() => {})
    }
  }
  const working = [
    // Separate loops: an unresponsive source must not delay orders of other currencies.
    repeat(lookForDueRatesMs, exchange.refreshDueRates, (error) =>
      log.warn({ err: error }, 'rates were not refreshed'),
    ),
    repeat(
      pauseMs,
      async () => {
        await exchange.readRates()
        await orders.runDue()
      },
      (error) => log.error({ err: error }, 'orders were not looked at'),
    ),
  ]
  return {
    async close() {
      end.abort()
      await Promise.all(working)
    },
  }
}
