import { dayInWords } from '../formats.ts'
import { language } from './language.ts'

/** Sentences about past events. The events are stored as codes. */
export const activity = {
  deletedAccount: 'Deleted account',

  verification: {
    reviewed_by_hand: 'Our team is reviewing this.',
    document_unreadable: "We couldn't read the document number. Please check it and submit it again.",
    not_confirmed: "We couldn't confirm your identity.",
    number_in_review: 'Our team is checking this number.',
    number_of_another: 'This number belongs to someone else. Please enter your own.',
    document_missing: 'Please add a photo of your document.',
    document_expired: 'This document has expired. Please use one that is valid.',
    document_not_accepted: "This kind of document isn't accepted. Please use another one.",
    differs_from_document: 'This differs from what your document says.',
    selfie_not_matching: "Your photo doesn't match the one in your document.",
    too_young: 'Your document says that you are too young to open a wallet.',
    check_not_finished: 'You left the check before it was finished. You can start it again.',
    lists_not_current:
      "The public lists we must compare names with are out of date. Your check continues automatically once they're updated, usually within a day. You don't need to do anything.",
  },

  /** Notice of tax summaries. */
  taxNotice:
    'This is a summary of your wallet, not tax advice. Tax rules differ: check with your tax office or adviser before you use it. Gains are computed first in, first out (FIFO), in your main currency. Values come from the transaction itself, or from the market rate of that time.',

  /** Descriptions of transactions that the product makes; users describe their own transfers. */
  transactions: {
    card_deposit: 'Added by card',
    bank_deposit: 'Added from bank',
    guest_payment: ({ name }: { name: string }) => `Request paid by ${name}`,
    payment_for_transfer: 'Payment for a transfer',
    payment_for_unmade_transfer: 'Payment for a transfer that was not made',
    card_payment_refunded: 'Card payment refunded',
    card_payment_taken_back: 'Card payment reversed',
    card_payment_given_back: 'Card payment given back',
    card_payment_won_back: 'Card payment won back',
    card_payment_returned: 'Card payment returned',
    bank_payment_refunded: 'Bank payment refunded',
    bank_payment_taken_back: 'Bank payment reversed',
    bank_payment_returned: 'Bank payment returned',
    bank_payment_given_back: 'Bank payment given back',
    bank_payment_won_back: 'Bank payment won back',
    missing_money_paid: 'Amount owed repaid',
    exchange: ({ from, to }: { from: string; to: string }) => `${from} to ${to}`,
    limit_order: ({ from, to }: { from: string; to: string }) => `Limit order, ${from} to ${to}`,
    stop_order: ({ from, to }: { from: string; to: string }) => `Stop order, ${from} to ${to}`,
    protection_rule: ({ from, to }: { from: string; to: string }) => `Protection rule, ${from} to ${to}`,
    withdrawal: ({ bank, last4 }: { bank: string; last4: string }) => `To ${bank}, ending in ${last4}`,
    withdrawal_returned: ({ bank }: { bank: string }) => `Withdrawal returned by ${bank}`,
    dispute_refund: 'Refund after your dispute',
    dispute_credit: 'Credit while we look into your dispute',
    dispute_credit_taken_back: 'Credit taken back after your dispute',
  },

  /** Titles of payment requests, and reasons for refusing their payment. */
  requests: {
    payment_request: 'Payment request',
    /** Reasons for not charging a guest's card. */
    refusals: {
      request_closed: 'This request was paid or ended before your payment. Your card was not charged.',
      not_accepted: 'We can’t accept this payment. Your card was not charged, or is being refunded.',
      price_moved:
        'The exchange rate has changed since you saw the price. Your card was not charged. You can pay at the new price.',
      limit_exceeded:
        'This card has reached the limit for payments without an account. Your card was not charged. With an account you can pay more.',
    },
  },

  /** Descriptions of payments, as shown on bank statements and on the provider's pages. */
  statements: {
    send_by_bank: 'Tern transfer',
    deposit_by_bank: 'Tern wallet',
    send_by_card: 'Transfer with Tern',
    deposit_by_card: 'Money for your Tern wallet',
    request_by_card: 'Payment request at Tern',
    withdrawal: 'Withdrawal from Tern',
  },

  transfers: {
    arrived: 'The money has arrived.',
    to_be_paid: "This payment isn't complete yet.",
    bank_on_its_way: 'The transfer is made as soon as your bank has paid.',
    payment_on_its_way: 'The transfer is made as soon as the payment is confirmed.',
  },

  /** Reasons why a payout failed or was returned. */
  payouts: {
    cancelled: 'You canceled the withdrawal.',
    rejected: "We couldn't approve the withdrawal.",
    expired: 'The withdrawal was not approved in time.',
    account_stopped: 'Your Tern account was frozen, or you owed us money.',
    account_closed: 'The account is closed.',
    account_frozen: 'The account is frozen.',
    account_restricted: "The bank doesn't allow this payment to the account.",
    not_processed: "The bank couldn't process the payment.",
    not_authorized: "The account doesn't allow this payment.",
    declined: 'The bank declined it.',
    holder_name_differs: "The account holder's name doesn't match.",
    unknown_account_number: "The bank doesn't recognize this account number.",
    wrong_currency: "The account doesn't accept this currency.",
    account_not_found: "The bank couldn't find the account.",
    amount_too_large: 'The amount is above what the account accepts at once.',
    payee_differs: "The bank's answer about the account holder's name changed. Check the account, then try again.",
    not_credited: "The bank couldn't credit the account.",
    not_taken: "The bank didn't accept the payment.",
  },

  /** Texts of a step-up confirmation: the action and its details. */
  confirmations: {
    acts: {
      send_money: 'Send money',
      schedule_send: 'Schedule a send',
      withdraw_money: 'Withdraw money',
      add_money: 'Add money',
      link_bank_account: 'Link a bank account',
      change_email: 'Change your email address',
      change_username: 'Change your username',
      change_password: 'Change your password',
      change_factors: 'Change how you log in',
      end_sessions: 'Log out other devices',
      raise_limit: 'Increase one of your own limits',
      unfreeze_account: 'Unfreeze your account',
      weaken_street_mode: 'Change street mode',
      confirm_held: 'Send a payment on hold',
      open_document: 'Show a photo of your identity document',
      export_data: 'Download everything we hold about you',
      delete_account: 'Delete your account',
    },
    subjects: {
      to: 'To',
      from: 'From',
      amount: 'Amount',
      fee: 'Fee',
      total: 'Total',
      receives: 'Receives',
      receives_about: 'Receives about',
      receives_at_least: 'Receives at least',
      rate: 'Rate',
      at_most: 'You pay at most',
      repeats: 'How often',
      starts: 'First on',
      arrives: 'Arrives',
      payee: 'Account holder',
      account: 'Account',
      allows: 'Lets you',
      withdraws: 'Withdraw now',
      email: 'Email',
      username: 'Username',
      device: 'Device',
      change: 'Change',
      passkey: 'Passkey',
      limit: 'Limit',
      because: 'Why we ask',
    },
    texts: {
      account_chosen_at_bank: 'The account you choose next',
      withdrawals_and_deposits: 'Withdraw to it and add money from it',
      daily_limit_out: 'Daily limit for money out',
      daily_limit_in: 'Daily limit for money from cards and banks',
      monthly_limit_out: '30-day limit for money out',
      monthly_limit_in: '30-day limit for money from cards and banks',
      no_own_limit: 'No limit of your own',
      add_authenticator: 'Set up an authenticator app',
      remove_authenticator: 'Remove the authenticator app',
      renew_recovery_codes: 'Create new recovery codes',
      add_passkey: 'Add a passkey',
      remove_passkey: 'Remove a passkey',
      weaken_street_mode: 'Allow larger payments when you are away or at night',
      end_street_mode: 'Turn street mode off',
      trust_place: 'Trust the network you are on now',
      sign_out_others: 'Log out all other devices',
      disconnect_google: 'Disconnect Google',
      disconnect_external: 'Disconnect your identity provider',
      card: ({ brand, last4 }: { brand: string; last4: string }) => `${brand}, ending in ${last4}`,
      bank_account: ({ bank, last4 }: { bank: string; last4: string }) => `${bank}, ending in ${last4}`,
      payee_no_match: 'The bank says this account is not in your name',
      payee_close_match: 'The bank knows the holder by a slightly different name',
      repeats_once: 'Once',
      repeats_weekly: 'Every week',
      repeats_biweekly: 'Every 2 weeks',
      repeats_monthly: 'Every month',
      repeats_month_end: 'On the last day of every month',
      schedule_other_currency: "It's paid in a different currency from the one you confirmed.",
      schedule_costs_more: 'Each send may cost more than before.',
      schedule_more_often: "It's sent more often than before.",
      schedule_sooner: 'The new date comes sooner than you confirmed.',
      on_day: ({ day }: { day: string }) => dayInWords(language, day),
      by_day: ({ day }: { day: string }) => `by ${dayInWords(language, day)}`,
    },
  },

  /** Reasons why a date of a scheduled send waits, was skipped or was not sent. Other reasons are refusal codes. */
  schedules: {
    price_above_ceiling: 'It costs more than you agreed to.',
    by_owner: 'You skipped this date.',
    paused: 'You paused it.',
    stopped: 'You stopped it.',
    rescheduled: 'You changed the dates.',
    too_late: "It couldn't be sent in time.",
    insufficient_funds: "Your balance isn't high enough.",
    recipient_not_found: "This person can't receive money right now.",
    step_up_required: "It needs your confirmation, so we didn't send it while you were away.",
    verification_required: 'Your identity needs to be verified first.',
    rates_unavailable: "Exchange rates weren't available.",
    liquidity_unavailable: "We couldn't convert this much at that time.",
    rate_limited: 'Too many quotes were open at that time.',
    internal: 'Something went wrong on our side.',
  },

  /**
   * Reasons why an order was not filled at its rate, or why a rule did not exchange. Other reasons are refusal codes.
   */
  orders: {
    fee_rose: 'The fee is higher than the amount on hold. Edit the order to continue.',
    worst_rate: 'The rate was worse than the worst one you accept.',
    insufficient_funds: "Your balance isn't high enough.",
    limit_exceeded: 'It would exceed one of your limits.',
    verification_required: 'Your identity needs to be verified first.',
    rates_unavailable: "Exchange rates aren't available right now.",
    amount_too_small: 'The amount is too small to be exchanged at a fair price.',
    currency_not_held: "Your wallet doesn't hold this currency.",
    internal: 'Something went wrong on our side.',
  },

  /** Devices and places of login sessions. */
  devices: {
    unknown: 'Unknown device',
    browser_unknown: ({ system }: { system: string }) => `Unknown browser on ${system}`,
    browser_on: ({ browser, system }: { browser: string; system: string }) => `${browser} on ${system}`,
    place_unknown: 'an unknown place',
    network: ({ network }: { network: string }) => `network ${network}`,
  },
} as const
