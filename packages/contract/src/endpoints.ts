import type * as z from 'zod/mini'
import * as banking from './banking.ts'
import * as calls from './calls.ts'
import * as checks from './compliance/checks.ts'
import * as disputes from './disputes/disputes.ts'
import type { Endpoint } from './protocol/endpoint.ts'
import * as events from './events.ts'
import * as exchange from './exchange.ts'
import * as identity from './identity.ts'
import * as favorites from './identity/favorites.ts'
import * as insight from './insight.ts'
import * as kyc from './kyc.ts'
import * as kycDocuments from './kyc/documents.ts'
import * as kycForm from './kyc/verification-form.ts'
import * as liabilities from './liabilities.ts'
import * as limits from './limits.ts'
import * as losses from './payments/losses.ts'
import * as mailChoices from './notifications/mail-choices.ts'
import * as notifications from './notifications/notifications.ts'
import * as payments from './payments.ts'
import * as privacy from './privacy/privacy.ts'
import * as feeIndex from './prices/fee-index.ts'
import * as proof from './prices/proof.ts'
import * as guestPayments from './requests/guest-payments.ts'
import * as linkFunding from './requests/link-funding.ts'
import * as paymentLinks from './requests/payment-links.ts'
import * as requests from './requests/requests.ts'
import * as splits from './requests/splits.ts'
import * as orders from './orders/orders.ts'
import * as protectionRules from './orders/protection-rules.ts'
import * as rateAlerts from './orders/rate-alerts.ts'
import * as rateReturnAlerts from './orders/rate-return-alerts.ts'
import * as rates from './exchange/rates.ts'
import * as schedules from './schedules/schedules.ts'
import * as security from './security.ts'
import * as signIn from './sign-in.ts'
import * as statements from './statements.ts'
import * as accounting from './statements/accounting.ts'
import * as tax from './statements/tax-summary.ts'
import * as streetMode from './transfers/street-mode.ts'
import * as payeeWarnings from './transfers/payee-warnings.ts'
import * as tracking from './transfers/tracking.ts'
import * as transactions from './transactions.ts'
import * as transfers from './transfers.ts'
import * as transparency from './transparency.ts'
import * as waitlist from './site/waitlist.ts'
import * as wallets from './wallets.ts'
import * as wire from './protocol/wire.ts'

const moduleExports = {
  ...banking,
  ...calls,
  ...checks,
  ...disputes,
  ...events,
  ...exchange,
  ...identity,
  ...insight,
  ...favorites,
  ...kyc,
  ...kycDocuments,
  ...kycForm,
  ...liabilities,
  ...limits,
  ...losses,
  ...mailChoices,
  ...notifications,
  ...orders,
  ...payeeWarnings,
  ...payments,
  ...feeIndex,
  ...privacy,
  ...proof,
  ...rates,
  ...guestPayments,
  ...linkFunding,
  ...paymentLinks,
  ...protectionRules,
  ...rateAlerts,
  ...rateReturnAlerts,
  ...requests,
  ...schedules,
  ...security,
  ...signIn,
  ...splits,
  ...statements,
  ...accounting,
  ...tax,
  ...streetMode,
  ...tracking,
  ...transactions,
  ...transparency,
  ...transfers,
  ...waitlist,
  ...wallets,
}
type EndpointName = {
  [Name in keyof typeof moduleExports]: (typeof moduleExports)[Name] extends Endpoint ? Name : never
}[keyof typeof moduleExports]

/** All API endpoints by name. The server must serve exactly these. */
export const allEndpoints = Object.fromEntries(
  Object.entries(moduleExports).filter(([, value]) => typeof value === 'object' && 'access' in value),
) as Pick<typeof moduleExports, EndpointName>

/** Schemas shared by several calls, with their names in the API reference. */
export const namedSchemas: readonly (readonly [string, z.ZodMiniType])[] = [
  banking.namedSchemas,
  calls.namedSchemas,
  checks.namedSchemas,
  disputes.namedSchemas,
  events.namedSchemas,
  exchange.namedSchemas,
  identity.namedSchemas,
  insight.namedSchemas,
  kycDocuments.namedSchemas,
  limits.namedSchemas,
  notifications.namedSchemas,
  orders.namedSchemas,
  payeeWarnings.namedSchemas,
  paymentLinks.namedSchemas,
  payments.namedSchemas,
  privacy.namedSchemas,
  protectionRules.namedSchemas,
  rateAlerts.namedSchemas,
  rateReturnAlerts.namedSchemas,
  requests.namedSchemas,
  schedules.namedSchemas,
  security.namedSchemas,
  signIn.namedSchemas,
  splits.namedSchemas,
  statements.namedSchemas,
  tax.namedSchemas,
  streetMode.namedSchemas,
  transactions.namedSchemas,
  transfers.namedSchemas,
  wallets.namedSchemas,
  wire.namedSchemas,
].flatMap((schemas) => Object.entries<z.ZodMiniType>(schemas))
