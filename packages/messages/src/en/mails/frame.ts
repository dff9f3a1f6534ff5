/** Texts shared by all mails. */
export const frame = {
  never_asks: 'Tern never asks for your password or a code by email or on the phone.',
  or_open: 'Or open this address:',
  for_former_account: "You're getting this email because this address belonged to a Tern account.",
  for_account: "You're getting this email because this address belongs to a Tern account.",
  for_alert:
    "You're getting this email because this address belongs to a Tern account. Emails about its security can't be turned off.",
  for_request: "You're getting this email because this address was entered at Tern.",
  labels: {
    when: 'When',
    device: 'Device',
    place: 'Place',
    amount: 'Amount',
    bank_account: 'Bank account',
    reason: 'Reason',
  },
  label_and_value: ({ label, value }: { label: string; value: string }) => `${label}: ${value}`,
  before: ({ label }: { label: string }) => `${label}:`,
  account: ({ bank, last4 }: { bank: string; last4: string }) => `${bank}, ending in ${last4}`,
  /** Time in UTC, since the recipient's time zone is unknown. */
  moment: ({ date, time }: { date: string; time: string }) => `${date}, ${time} UTC`,
  lifetimes: {
    minutes: ({ count }: { count: number }) => `${count} minutes`,
    one_hour: 'one hour',
    hours: ({ count }: { count: number }) => `${count} hours`,
  },
} as const
