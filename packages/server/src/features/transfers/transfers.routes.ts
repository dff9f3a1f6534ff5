import { sendMoney } from '@tern/contract/transfers'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../serve.ts'
import type { SendMoney } from './transfers.ts'

/** `POST /payment/transfer`. */
export function transfersRoutes(app: FastifyInstance, send: SendMoney): void {
  serve(app, sendMoney, ({ caller, body, idempotencyKey, proof }) => send(caller, body, idempotencyKey, proof))
}
