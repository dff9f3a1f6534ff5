// Who runs the service, as receipts name them.

import type { Issuer } from '@tern/contract/transactions'
import { type PublicSettings, readLine } from './config-public.ts'
import type { Environment } from './config-values.ts'

/** Reads who issues receipts; a part is null where its variable is unset. Throws ConfigError. */
export function readIssuer(environment: Environment, settings: PublicSettings): Issuer {
  const { operatorName, license, supportContact } = settings
  return {
    name: operatorName ?? null,
    registration: readLine(environment, 'OPERATOR_REGISTRATION') ?? null,
    license: license?.text ?? null,
    // As people read it.
    contact: supportContact?.replace(/^mailto:|^https:\/\/|\/$/g, '') ?? null,
  }
}
