import type { Feature } from '../../manifests/feature.ts'
import { recordMailChoices, recordSignUpConsents } from './consents/consents.ts'
import { privacyRoutes } from './privacy.routes.ts'

export const feature: Feature = {
  name: 'privacy',
  routes: (api, { privacy, identity }) => privacyRoutes(api, privacy, identity),
  accountEvents: { registered: recordSignUpConsents, mailsChosen: recordMailChoices },
  tasks: [{ name: 'delete_accounts', at: '* * * * *', run: ({ privacy }) => privacy.deletion.finishDue() }],
}
