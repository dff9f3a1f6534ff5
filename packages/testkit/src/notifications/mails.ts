// For tests: mails of every kind, with hostile text from strangers.

import type {
  DisputeStep,
  MailData,
  MailTemplate,
  SecurityChange,
  PaymentReversal,
  SignInOrigin,
} from '@tern/server/features/notifications/mails/templates'

export const homeUrl = 'https://tern.example'
export const link = `${homeUrl}/somewhere#token=abc-DEF_123&from=%2Fsend`
/** Name that attacks HTML, mail headers and text direction. */
export const attack = `"><script>alert('1')</script>&\r\nBcc: thief@evil.example\u202E`
const at = new Date('2026-03-05T23:04:59Z')

const changes: Record<SecurityChange, true> = {
  password_changed: true,
  data_exported: true,
  password_reset: true,
  email_change_asked: true,
  email_changed: true,
  totp_added: true,
  totp_removed: true,
  passkey_added: true,
  passkey_removed: true,
  recovery_codes_renewed: true,
  recovery_code_used: true,
  passkey_copied: true,
  external_linked: true,
  external_unlinked: true,
  oldest_session_ended: true,
  step_up_unrecognized: true,
  sign_in_unrecognized: true,
  account_frozen: true,
  street_mode_weakened: true,
  account_unfrozen: true,
  deletion_undone: true,
}

const from: SignInOrigin = { device: { browser: attack, system: attack }, place: { network: attack } }
const reversalKinds: Record<PaymentReversal, true> = { refund: true, chargeback: true, debit_return: true }
const disputeSteps: Record<DisputeStep, true> = {
  ...{ opened: true, asked: true, credited: true, extended: true, upheld: true, dismissed: true },
  ...{ credit_waits: true, credit_stopped: true, objection_upheld: true, objection_dismissed: true },
}
const account = { bankName: attack, last4: '4021' }
const amount = '1250.00 USD'
const order = {
  amount,
  targetCurrency: 'EUR',
  rate: '1 USDT = 0.955 EUR',
  rateSide: 'at_least',
  link,
} as const

/** Data of mails by template. */
export const samples: { [T in MailTemplate]: MailData[T][] } = {
  verify_email: [{ link }],
  email_already_verified: [{ link }],
  change_email: [{ link }],
  log_in: [{ link, ...from }],
  no_account: [{ link }],
  deletion_begun: [{ link, logInLink: `${homeUrl}/login`, at, dueAt: at, ...from }],
  deletion_stopped: [{ obstacles: ['balance', 'case_open'], link }],
  account_deleted: [{ keptUntil: '2031-11-26' }, {}],
  reset_password: [{ link }],
  new_sign_in: [{ link, at, ...from }],
  security_change: (Object.keys(changes) as SecurityChange[]).map((change) =>
    Object.assign({ change, link, at }, from),
  ),
  sessions_ended: [{ link }],
  operator_called: (['operator', 'user', 'time', 'account'] as const).map((endedBy) => ({
    caller: attack,
    about: 'payment',
    startedAt: at.toISOString(),
    endedBy,
    link,
  })),
  step_up_code: [
    {
      code: '048213',
      action: 'send_money',
      subject: [
        ['to', attack],
        ['amount', amount],
        ['rate', '1 USD = 149.253731343284 JPY'],
      ],
      link,
    },
    {
      code: '048213',
      action: 'withdraw_money',
      subject: [
        ['to', { code: 'bank_account', params: { bank: attack, last4: '4021' } }],
        ['amount', amount],
        ['arrives', { code: 'by_day', params: { day: '2026-03-09' } }],
      ],
    },
    { code: '048213', action: 'change_factors', subject: [['change', { code: 'remove_passkey' }]] },
  ],
  bank_account_linked: [{ ...account, at, link }],
  withdrawal_failed: [{ ...account, amount, link, reason: 'account_closed' }],
  withdrawal_returned: [{ ...account, amount, link, reason: 'account_closed' }],
  late_payment: [
    { purpose: 'deposit', amount, link },
    { purpose: 'send', amount, link },
    { purpose: 'canceled_deposit', amount, link },
    { purpose: 'canceled_send', amount, link },
    { purpose: 'stopped_send', amount, link },
  ],
  transfer_not_made: [
    { person: attack, amount, promised: amount, now: amount, reason: 'price_moved', link },
    { person: 'Ana', amount, promised: amount, now: amount, reason: 'below_minimum', link },
  ],
  deposit_repriced: [{ amount, promised: amount, link }],
  debit_failed: [
    { purpose: 'deposit', ...account, amount, link },
    { purpose: 'send', ...account, amount, link },
  ],
  dispute_changed: (Object.keys(disputeSteps) as DisputeStep[]).map((step) =>
    Object.assign(
      { step, amount, link },
      step === 'opened'
        ? { date: '2026-12-08', creditDate: '2026-12-01' }
        : step === 'dismissed'
          ? { missing: amount }
          : {},
    ),
  ),
  payment_taken_back: (Object.keys(reversalKinds) as PaymentReversal[]).map((reason) =>
    Object.assign({ amount, reason, link }, reason === 'chargeback' ? { missing: amount } : {}),
  ),
  new_payee_paid: [
    { person: attack, username: 'ana', amount, description: attack, link, freezeLink: `${homeUrl}/freeze` },
  ],
  money_received: [{ person: attack, username: 'ana', amount, description: attack, link }],
  money_received_summary: [{ count: 45, amounts: [amount, '20 JPY'], link }],
  request_received: [
    { person: attack, amount, description: attack, link },
    { person: 'Ana', amount, description: '', until: '2026-03-09', link },
  ],
  request_paid: [{ person: attack, username: 'ana', amount, description: attack, link }],
  guest_receipt: [{ person: attack, amount, description: attack, link }],
  guest_not_charged: [{ person: attack, amount, description: '', link }],
  transfer_undeliverable: [{ amount, link }],
  check_holds: [
    { amount, link, until: at.toISOString() },
    { amount, link, until: at.toISOString(), by_guest: true },
  ],
  check_asks: (['explanation', 'document'] as const).map((need) => ({ need, until: at.toISOString(), link })),
  check_decided: (['cleared', 'confirmed', 'not_made', 'sent_back', 'not_accepted'] as const).map((state) => ({
    state,
    link,
  })),
  objection_decided: (['upheld', 'dismissed'] as const).map((state) => ({ state, link })),
  payment_waits: [
    { amount, from: at.toISOString(), until: at.toISOString(), link, cancelLink: `${homeUrl}/cancel#code=x` },
  ],
  schedule_not_sent: [
    { amount, to: attack, date: '2026-03-31', reason: 'price_above_ceiling', link },
    { amount, to: attack, date: '2026-03-31', reason: 'limit_exceeded', link },
  ],
  schedule_balance_low: [{ amount, date: '2026-03-31', link }],
  statement_ready: [{ amount, opening: '0.50 USD', month: '2026-03', link }],
  order_filled: [
    { ...order, kind: 'limit', target: '580.00 EUR', filledAt: '1 USDT = 0.9667 EUR', fee: '6 USDT' },
    { ...order, kind: 'stop', target: '580.00 EUR', filledAt: '1 USDT = 0.9667 EUR', fee: '6 USDT' },
  ],
  order_expired: [{ ...order, kind: 'limit' }],
  order_waits: [
    { ...order, kind: 'stop', reason: 'worst_rate' },
    { ...order, kind: 'limit', reason: 'limit_exceeded' },
  ],
  rate_returned: [{ rateNow: '1 USD = 0.9512 EUR', link }],
  rate_alert: [{ rate: '1 USD = 0.95 EUR', rateSide: 'at_least', rateNow: '1 USD = 0.9512 EUR', link }],
  protection_acted: [{ amount, target: '108.3 USDT', fee: '1.00 EUR', link }],
  protection_waits: [{ currency: 'USDC', reason: 'limit_exceeded', link }],
}
