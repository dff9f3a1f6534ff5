import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type { StreetMode } from '@tern/contract/transfers/street-mode'
import { type Money, money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { StepUpNeeded } from '../../../platform/database/locks.ts'
import { parseAmount } from '../../../platform/http/amount.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { confirmedSubject } from '../../../platform/subjects.ts'
import { type Client, type Identity, locatePlace, type SensitiveAction } from '../../identity/identity.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { readStreetPolicy } from './street-hold.ts'
import { applyStricterNow, isSame, readSettings, type StreetSetting } from './settings.ts'
import type { StreetPlaceRow } from '../row-types.ts'

export interface StreetContext {
  readonly identity: Pick<Identity, 'requireStepUp' | 'alertChange'>
  readonly usdMinorOf: (amount: Money) => bigint
  readonly now: () => Date
}

type ModeSetting = Pick<StreetMode, 'is_on' | 'night_from' | 'night_until' | 'time_zone'>
type WantedSetting = ModeSetting & { readonly limit: string }

/** User with the device and network of the request. */
interface Viewer {
  readonly caller: Caller
  readonly client: Client
}

interface ModeChangeInput extends Viewer {
  readonly confirmation: string | undefined
}

type PlaceRow = Pick<StreetPlaceRow, 'id' | 'name' | 'country' | 'network' | 'trusted_from'>

interface NewPlace {
  readonly name: string
  readonly network: string
  readonly country: string | undefined
}

/** Setting of users who have not chosen one. */
const defaultSetting = { is_on: false, limit: null, night_from: 22, night_until: 6, time_zone: 'UTC' } as const

const hourMs = 3_600_000

/** Sets street mode. Refuses `step_up_required` for a change that weakens the mode, and `rates_unavailable`. */
export async function setStreetMode(
  ctx: StreetContext,
  pool: pg.Pool,
  { body, ...change }: ModeChangeInput & { readonly body: WantedSetting },
): Promise<StreetMode> {
  const { userId } = change.caller
  const setting = await resolveSetting(ctx, pool, userId, body)
  await changeMode(ctx, pool, { ...change, action: buildWeakenAction(setting), setting })
  return readStreetMode(ctx, pool, change)
}

/**
 * Trusts the caller's network. Refuses `too_many_places`, `place_unknown`, and `step_up_required` while the mode is on.
 */
export async function addStreetPlace(
  ctx: StreetContext,
  pool: pg.Pool,
  { name, ...change }: ModeChangeInput & { readonly name: string },
): Promise<StreetMode> {
  const place = locatePlace(change.client)
  if (place.network === '') refuse('place_unknown')
  const action: SensitiveAction = {
    action: 'weaken_street_mode',
    subject: { change: confirmedSubject('trust_place') },
    hidden: { network: place.network, ...(place.country === undefined ? {} : { country: place.country }) },
  }
  await changeMode(ctx, pool, { ...change, action, place: { ...place, name } })
  return readStreetMode(ctx, pool, change)
}

/** Stops trusting a place. Refuses `not_found`. */
export async function removeStreetPlace(
  ctx: StreetContext,
  pool: pg.Pool,
  { placeId, ...viewer }: Viewer & { readonly placeId: string },
): Promise<StreetMode> {
  const { rowCount } = await pool.query('delete from street_place where id = $1 and user_id = $2', [
    placeId,
    viewer.caller.userId,
  ])
  if (rowCount !== 1) refuse('not_found')
  return readStreetMode(ctx, pool, viewer)
}

type ModeChange = ModeChangeInput & { readonly action: SensitiveAction } & (
    | { readonly setting: StreetSetting; readonly place?: never }
    | { readonly place: NewPlace; readonly setting?: never }
  )

/**
 * Stores a setting or place. Commits a weaker mode only with a fresh confirmation of `action`, and alerts the user by
 * mail.
 */
async function changeMode(
  { identity, now }: StreetContext,
  pool: pg.Pool,
  { caller, client, confirmation, action, setting, place }: ModeChange,
): Promise<void> {
  const { userId } = caller
  const at = now()
  const commit = (mayWeaken: boolean) =>
    transact(pool, async (tx) => {
      await tx.query('select from app_user where id = $1 for no key update', [userId])
      const isWeaker = setting ? await writeSetting(tx, userId, setting, at) : await writePlace(tx, userId, place, at)
      if (isWeaker && !mayWeaken) throw new StepUpNeeded()
      if (isWeaker) await identity.alertChange(tx, { ...caller, change: 'street_mode_weakened', client, at })
    })
  try {
    await commit(false)
  } catch (error) {
    if (!(error instanceof StepUpNeeded)) throw error
    await identity.requireStepUp({ caller, act: action, confirmation })
    await commit(true)
  }
}

/** Settings, trusted places, and the caller's current place. */
export async function readStreetMode(
  { now }: StreetContext,
  db: Db,
  { caller: { userId }, client }: Viewer,
): Promise<StreetMode> {
  const at = now()
  const [{ current, next }, policy, wallet] = await Promise.all([
    readSettings(db, userId, at),
    readStreetPolicy(db),
    findWallet(db, userId),
  ])
  const { rows } = await db.query<PlaceRow>('select * from street_place where user_id = $1 order by created_at, id', [
    userId,
  ])
  const { country = null, network } = locatePlace(client)
  const currency = current?.currency ?? wallet?.baseCurrency ?? refuse('not_found')
  return {
    ...(current ? settingView(current) : defaultSetting),
    currency,
    next: next ? { ...settingView(next), at: next.valid_from.toISOString() } : null,
    places: rows.map((place) => ({
      id: place.id,
      name: place.name,
      country: place.country,
      network: place.network,
      trusted_from: place.trusted_from.toISOString(),
    })),
    here: { country, network, place_id: rows.find((row) => row.network === network)?.id ?? null },
    most_places: policy.most_places,
    hold_minutes: policy.hold_minutes,
    confirm_hours: policy.confirm_hours,
    weaken_after_hours: policy.weaken_after_hours,
  }
}

async function resolveSetting(
  { usdMinorOf }: StreetContext,
  db: Db,
  userId: bigint,
  requested: WantedSetting,
): Promise<StreetSetting> {
  const wallet = (await findWallet(db, userId)) ?? refuse('not_found')
  const { limit, ...setting } = requested
  if (!isTimeZone(setting.time_zone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const amount = parseAmount('limit', wallet.baseCurrency, limit)
  return {
    ...setting,
    limit_minor: amount.minor,
    currency: wallet.baseCurrency,
    limit_usd_minor: usdMinorOf(amount),
  }
}

/**
 * Applies the stricter parts of a setting now and the rest later, in place of an earlier change that is not valid yet.
 * Returns true if the mode gets weaker.
 */
async function writeSetting(tx: Tx, userId: bigint, requested: StreetSetting, at: Date): Promise<boolean> {
  const { current } = await readSettings(tx, userId, at)
  const first = applyStricterNow(current, requested)
  await tx.query('delete from street_setting where user_id = $1 and valid_from > $2', [userId, at])
  if (!current || !isSame(first, current)) await insertSetting(tx, userId, first, at)
  const isWeaker = !isSame(first, requested)
  if (isWeaker) await insertSetting(tx, userId, requested, await computeEffectiveTime(tx, at))
  return isWeaker
}

async function computeEffectiveTime(tx: Tx, at: Date): Promise<Date> {
  return new Date(at.getTime() + (await readStreetPolicy(tx)).weaken_after_hours * hourMs)
}

async function insertSetting(tx: Tx, userId: bigint, setting: StreetSetting, validFrom: Date): Promise<void> {
  await tx.query(
    `insert into street_setting
       (user_id, valid_from, is_on, limit_minor, currency, limit_usd_minor, night_from, night_until, time_zone)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (user_id, valid_from) do update
       set is_on = excluded.is_on, limit_minor = excluded.limit_minor, currency = excluded.currency,
           limit_usd_minor = excluded.limit_usd_minor, night_from = excluded.night_from,
           night_until = excluded.night_until, time_zone = excluded.time_zone`,
    [
      userId,
      validFrom,
      setting.is_on,
      setting.limit_minor,
      setting.currency,
      setting.limit_usd_minor,
      setting.night_from,
      setting.night_until,
      setting.time_zone,
    ],
  )
}

/** Adds a place if it is new. Returns true if the mode gets weaker. */
async function writePlace(tx: Tx, userId: bigint, { name, network, country }: NewPlace, at: Date): Promise<boolean> {
  const { rows } = await tx.query<Pick<StreetPlaceRow, 'network'>>(
    'select network from street_place where user_id = $1',
    [userId],
  )
  if (rows.some((row) => row.network === network)) return false
  if (rows.length >= (await readStreetPolicy(tx)).most_places) refuse('too_many_places')
  const isOn = (await readSettings(tx, userId, at)).current?.is_on === true
  await tx.query(
    `insert into street_place (id, user_id, name, country, network, trusted_from, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(at), userId, name, country ?? null, network, isOn ? await computeEffectiveTime(tx, at) : at, at],
  )
  return isOn
}

const buildWeakenAction = (setting: StreetSetting): SensitiveAction => {
  const { is_on: isOn, night_from: from, night_until: until, time_zone: timeZone } = setting
  const amount = toDecimal(money(setting.currency, setting.limit_minor))
  return {
    action: 'weaken_street_mode',
    subject: isOn
      ? { change: confirmedSubject('weaken_street_mode'), limit: `${amount} ${setting.currency}` }
      : { change: confirmedSubject('end_street_mode') },
    hidden: { night: `${from} ${until} ${timeZone}` },
  }
}

const settingView = (setting: StreetSetting) => ({
  is_on: setting.is_on,
  night_from: setting.night_from,
  night_until: setting.night_until,
  time_zone: setting.time_zone,
  limit: toDecimal(money(setting.currency, setting.limit_minor)),
})
