/** What a mail of each kind tells. Links are complete addresses; `place` is a country or network in words. */
export interface MailData {
  /** Confirm the address of an account. */
  verify_email: { link: string }
  /** Somebody asked to confirm an address that is confirmed already. */
  email_already_verified: { link: string }
  /** To the address an account is to move to. */
  change_email: { link: string }
  log_in: { link: string; device: string; place: string }
  /** To an address that has no account, when somebody asked for a link. */
  no_account: { link: string }
  reset_password: { link: string }
  /** A sign-in from a device or place not seen before; `link` says "this wasn't me". */
  new_sign_in: { device: string; place: string; at: Date; link: string }
  security_change: { change: SecurityChange; device: string; place: string; at: Date; link: string }
  /** A code that confirms one act; `lines` say what, in words a person can check. */
  proof_code: { code: string; lines: readonly string[] }
}

export type MailTemplate = keyof MailData

/**
 * For how many minutes a mail of each kind is of use: as long as its link or code is good, of which an alert's is good longest.
 * The mails say it, and one that could not be delivered in that time is not sent any more.
 */
export const usefulMinutes: Readonly<Record<MailTemplate, number>> = {
  verify_email: 24 * 60,
  email_already_verified: 24 * 60,
  change_email: 24 * 60,
  log_in: 15,
  no_account: 24 * 60,
  reset_password: 60,
  new_sign_in: 30 * 24 * 60,
  security_change: 30 * 24 * 60,
  proof_code: 5,
}

export type SecurityChange =
  | 'password_changed'
  | 'password_reset'
  | 'email_change_asked'
  | 'email_changed'
  | 'totp_added'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_renewed'
  | 'recovery_code_used'
  | 'external_linked'
  | 'external_unlinked'
