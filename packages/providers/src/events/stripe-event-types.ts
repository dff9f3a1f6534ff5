// Types of Stripe's events that the adapters handle; the event destinations at Stripe must send them.

export const snapshotEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const

/** Events that contain only the id of their object, as all payout events do. */
export const payoutEventTypes = [
  'v2.money_management.outbound_payment.posted',
  'v2.money_management.outbound_payment.failed',
  'v2.money_management.outbound_payment.canceled',
  'v2.money_management.outbound_payment.returned',
] as const

export const identityEventTypes = [
  'identity.verification_session.verified',
  'identity.verification_session.requires_input',
  'identity.verification_session.processing',
  'identity.verification_session.canceled',
] as const
