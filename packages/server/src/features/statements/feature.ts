import type { Feature } from '../../manifests/feature.ts'
import { createSeal } from '../../platform/seal.ts'
import { mailDueStatements } from './mails/statement-mails.ts'
import { statementsRoutes } from './statements.routes.ts'
import { certificateSealPurpose } from './tables.ts'

export const feature: Feature = {
  name: 'statements',
  routes: (api, { now, config, pool, secret, publicUrl }) =>
    statementsRoutes(api, {
      now,
      pool,
      publicUrl,
      issuer: config.issuer,
      seal: createSeal(secret, certificateSealPurpose),
    }),
  tasks: [
    {
      name: 'mail_statements',
      at: '*/5 * * * *',
      run: ({ identity, notifications, publicUrl, now, pool }) =>
        mailDueStatements({ identity, notifications, publicUrl, now }, pool),
    },
  ],
}
