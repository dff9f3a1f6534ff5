import { type Tables, appendOnly, allPrivileges, readOnly } from '../../platform/database/tables.ts'

export const tables: Tables = {
  app_user: {
    rights: appendOnly,
    fixed: 'id, created_at',
    personal: {
      category: 'account',
      columns: `id, email, pending_email, username, name, first_name, kyc_status, metadata, created_at, email_verified_at,
      email_proven_at, proven_before_move, password_hash is not null as has_password, password_blocked_at, factor_change, factor_changed_at,
      deletion_due_at, deleted_at`,
      rows: 'from app_user where id = $1',
      since: 'created_at',
    },
    sealed: [
      {
        column: 'local_name',
        key: 'id',
        keyType: 'bigint',
        purpose: 'identity/local-name',
        context: "'local name ' || id",
      },
    ],
    facts: { rows: 'freezes of accounts', keys: 'id', columns: 'frozen_at' },
  },
  login_attempt: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'counted' },
  },
  session: {
    rights: allPrivileges,
    personal: {
      category: 'logins',
      columns: `id, created_at, last_used_at, user_agent, address_prefix as network, country, sign_in_method, revoked_at,
      revoked_reason`,
      since: 'created_at',
    },
    // Stored sessions make devices and places familiar. The last one is kept, because an account without sessions gets
    // no alert at a sign-in.
    retention: {
      days: 400,
      clock: 'real',
      isOld: `last_used_at < $1
       and exists (select from session as later where later.user_id = session.user_id
                     and (later.last_used_at, later.id) > (session.last_used_at, session.id))
       and not exists (select from refresh_token where session_id = session.id)
       and not exists (select from step_up_confirmation where session_id = session.id)
       and not exists (select from mailed_link where session_id = session.id)
       and not exists (select from passkey where session_id = session.id)
       and not exists (select from totp where session_id = session.id)`,
    },
  },
  refresh_token: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'secret' },
    retention: { days: 0, clock: 'real', isOld: 'expires_at < $1' },
  },
  signing_key: {
    rights: allPrivileges,
    personal: 'none',
    retention: { days: 30, clock: 'real', isOld: 'retired_at < $1' },
    sealed: [
      {
        column: 'private_key',
        key: 'id',
        keyType: 'text',
        purpose: 'identity/signing-key',
        context: 'id',
        isLast: true,
      },
    ],
  },
  mailed_link: {
    rights: allPrivileges,
    personal: { category: 'logins', columns: 'purpose, email, created_at, expires_at, used_at', since: 'created_at' },
  },
  sign_in_challenge: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'passing' },
    retention: { days: 0, clock: 'real', isOld: 'expires_at < $1' },
  },
  totp: {
    rights: allPrivileges,
    personal: { category: 'logins', columns: 'created_at, confirmed_at', since: 'created_at' },
    sealed: [
      { column: 'secret', key: 'user_id', keyType: 'bigint', purpose: 'identity/totp', context: "'totp ' || user_id" },
      {
        column: 'next_secret',
        key: 'user_id',
        keyType: 'bigint',
        purpose: 'identity/totp',
        context: "'totp ' || user_id",
      },
    ],
  },
  recovery_code: {
    rights: allPrivileges,
    personal: { category: 'logins', columns: 'created_at, used_at', since: 'created_at' },
  },
  passkey: {
    rights: allPrivileges,
    personal: {
      category: 'logins',
      columns: 'id, name, synced, transports, created_at, last_used_at',
      since: 'created_at',
    },
  },
  passkey_ceremony: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'passing' },
    retention: { days: 0, clock: 'real', isOld: 'expires_at < $1' },
  },
  external_identity: {
    rights: allPrivileges,
    personal: { category: 'logins', columns: 'provider, email, linked_at', since: 'linked_at' },
  },
  external_sign_in: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'passing' },
    retention: { days: 1, clock: 'real', isOld: 'expires_at < $1' },
    sealed: [
      {
        column: 'verifier',
        key: 'hash',
        keyType: 'bytea',
        purpose: 'identity/external-sign-in',
        context: "encode(hash, 'hex')",
      },
    ],
  },
  spent_id_token: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'counted' },
    retention: { days: 1, clock: 'real', isOld: 'expires_at < $1' },
  },
  external_link: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'passing' },
    retention: { days: 1, clock: 'real', isOld: 'expires_at < $1' },
  },
  step_up_confirmation: {
    rights: allPrivileges,
    personal: {
      category: 'logins',
      columns: 'action, subject, failures, created_at, confirmed_at, used_at',
      since: 'created_at',
    },
  },
  mail_request: {
    rights: allPrivileges,
    personal: { category: 'logins', unread: 'counted' },
  },
  username_claim: {
    rights: appendOnly,
    fixed: 'skeleton',
    personal: { category: 'account', columns: 'username, claimed_at, released_at', since: 'claimed_at' },
  },
  reserved_username: {
    rights: readOnly,
    personal: 'none',
  },
  favorite: {
    rights: 'select, insert, delete',
    fixed: 'user_id, favorite_id',
    personal: {
      category: 'people',
      columns: 'favorite_id, (select username from app_user where id = favorite_id) as username, created_at',
      since: 'created_at',
    },
  },
  shown_name: {
    rights: 'select, insert, delete',
    personal: {
      category: 'people',
      columns: 'owner_id, (select username from app_user where id = owner_id) as username, shown_at',
      rows: 'from shown_name where viewer_id = $1',
      since: 'shown_at',
    },
    // Keeps entries whose viewer has ever sent to the owner or has a schedule for them.
    retention: {
      days: 30,
      clock: 'product',
      isOld: `shown_at < $1
         and not exists (select from transaction where user_id = viewer_id and recipient_id = owner_id and kind = 'SEND')
         and not exists (select from schedule where user_id = viewer_id and payee_id = owner_id)`,
    },
  },
}
