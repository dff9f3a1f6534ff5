import { feeIndex, feeIndexFile } from '@tern/contract/prices/fee-index'
import { priceProof } from '@tern/contract/prices/proof'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { limitPerAddress } from '../../platform/http/rate-limits.ts'
import { serveReading } from '../../platform/http/serve.ts'
import { feeIndexCsv } from './fee-index.ts'
import type { Prices } from './prices.ts'

// Per minute.
const proofsPerAddress = 30
const indexesPerAddress = 120

/** Serves `/prices/…`: proofs of single prices, and the monthly fee index. */
export function pricesRoutes(app: FastifyInstance, prices: Prices): void {
  const limitProofs = limitPerAddress(app, 'price-proof', proofsPerAddress)
  const limitIndex = limitPerAddress(app, 'fee-index', indexesPerAddress)

  /** Id of the signed-in user; undefined without an `Authorization` header. */
  const readCallerId = async (request: FastifyRequest) =>
    request.headers.authorization === undefined ? undefined : (await app.authenticate(request)).userId

  serveReading(
    app,
    priceProof,
    async ({ params, request, db }) =>
      prices.prove(db, { text: params.reference, userId: await readCallerId(request) }),
    limitProofs,
  )

  serveReading(app, feeIndex, ({ query, db }) => prices.index(db, query.month), limitIndex)

  serveReading(
    app,
    feeIndexFile,
    async ({ query, reply, db }) => {
      const index = await prices.index(db, query.month)
      void reply.header('content-disposition', `attachment; filename="tern-prices-${index.month ?? 'none'}.csv"`)
      return feeIndexCsv(index)
    },
    limitIndex,
  )
}
