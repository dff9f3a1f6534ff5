import { isTimeZone } from '@tern/contract/schedules/time-zones'
import type { StreetMode } from '@tern/contract/transfers/street-mode'
import { type Money, money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import { StepUpNeeded } from '../../../platform/database/locks.ts'
import { parseAmount } from '../../../platform/http/amount.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import { newId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { confirmed } from '../../../platform/subjects.ts'
import { type Client, type Identity, placeOf, type SensitiveAction } from '../../identity/identity.ts'
import { findWallet } from '../../wallets/wallets.ts'
import { readStreetPolicy } from './passes.ts'
import { atOnce, isSame, readSettings, type StreetSetting } from './settings.ts'

interface Options {
  readonly pool: pg.Pool
  readonly identity: Pick<Identity, 'requireStepUp' | 'alertChange'>
  readonly usdMinorOf: (amount: Money) => bigint
  readonly now: () => Date
}

type Setting = Pick<StreetMode, 'is_on' | 'night_from' | 'night_until' | 'time_zone'>
type Wanted = Setting & { readonly limit: string }

/** Who changes something, and from where. */
interface Asked {
  readonly caller: Caller
  readonly client: Client
  readonly confirmation: string | undefined
}

interface PlaceRow {
  readonly id: string
  readonly name: string
  readonly country: string | null
  readonly network: string
  readonly trusted_from: Date
}

/** Of people who have chosen nothing. */
const unlessChosen = { is_on: false, limit: null, night_from: 22, night_until: 6, time_zone: 'UTC' } as const

const hourMs = 3_600_000

/** What people may see and change of street mode. */
export function createStreetMode(options: Options) {
  const { pool, identity, now } = options

  const view = (caller: Pick<Caller, 'userId'>, client: Client) => readView(options, caller, client)

  /** Writes what may be written; with a fresh confirmation of `act` also what weakens the mode, which is told by mail. */
  async function change({ caller, client, confirmation }: Asked, act: SensitiveAction, write: Write): Promise<void> {
    const { userId } = caller
    const at = now()
    const written = (mayWeaken: boolean) =>
      transact(pool, async (tx) => {
        await tx.query('select from app_user where id = $1 for no key update', [userId])
        const isWeaker = await write(tx, at)
        if (isWeaker && !mayWeaken) throw new StepUpNeeded()
        if (isWeaker) await identity.alertChange(tx, { ...caller, change: 'street_mode_weakened', client, at })
      })
    try {
      await written(false)
    } catch (error) {
      if (!(error instanceof StepUpNeeded)) throw error
      await identity.requireStepUp({ caller, act, confirmation })
      await written(true)
    }
  }

  return {
    view,

    /** Refuses `step_up_required` for what weakens the mode, and `rates_unavailable`. */
    async set(asked: Asked, wanted: Wanted): Promise<StreetMode> {
      const { userId } = asked.caller
      const setting = await settingOf(options, userId, wanted)
      const write: Write = (tx, at) => writeSetting(tx, userId, setting, at)
      await change(asked, weakening(setting), write)
      return view(asked.caller, asked.client)
    },

    /** Trusts the network of the caller. Refuses `too_many_places`, `place_unknown`, and `step_up_required` while the mode is on. */
    async addPlace(asked: Asked, name: string): Promise<StreetMode> {
      const { userId } = asked.caller
      const place = placeOf(asked.client)
      if (place.network === '') refuse('place_unknown')
      const act = { action: 'weaken_street_mode', subject: { change: confirmed('trust_place') }, hidden: { ...place } }
      await change(asked, act as SensitiveAction, (tx, at) => writePlace(tx, userId, { ...place, name }, at))
      return view(asked.caller, asked.client)
    },

    /** Refuses `not_found`. */
    async removePlace(caller: Caller, client: Client, id: string): Promise<StreetMode> {
      const { rowCount } = await pool.query('delete from street_place where id = $1 and user_id = $2', [
        id,
        caller.userId,
      ])
      if (rowCount !== 1) refuse('not_found')
      return view(caller, client)
    },
  }
}

export type StreetModes = ReturnType<typeof createStreetMode>

/** What somebody has chosen, and where they are. */
async function readView(
  { pool, now }: Options,
  { userId }: Pick<Caller, 'userId'>,
  client: Client,
): Promise<StreetMode> {
  const at = now()
  const [{ current, next }, policy, wallet] = await Promise.all([
    readSettings(pool, userId, at),
    readStreetPolicy(pool),
    findWallet(pool, userId),
  ])
  const { rows } = await pool.query<PlaceRow>('select * from street_place where user_id = $1 order by created_at, id', [
    userId,
  ])
  const { country = null, network } = placeOf(client)
  const currency = current?.currency ?? wallet?.baseCurrency ?? refuse('not_found')
  return {
    ...(current ? settingView(current) : unlessChosen),
    currency,
    next: next ? { ...settingView(next), at: next.valid_from.toISOString() } : null,
    places: rows.map(({ id, name, trusted_from: from, ...place }) => ({
      ...{ id, name, country: place.country, network: place.network },
      trusted_from: from.toISOString(),
    })),
    here: { country, network, place_id: rows.find((row) => row.network === network)?.id ?? null },
    most_places: policy.most_places,
    hold_minutes: policy.hold_minutes,
    confirm_hours: policy.confirm_hours,
    weaken_after_hours: policy.weaken_after_hours,
  }
}

/** Writes a change down; gives whether that weakens the mode. */
type Write = (tx: Tx, at: Date) => Promise<boolean>

async function settingOf({ pool, usdMinorOf }: Options, userId: bigint, wanted: Wanted): Promise<StreetSetting> {
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  const { limit, ...setting } = wanted
  if (!isTimeZone(setting.time_zone)) refuseField('invalid_request', 'time_zone', 'invalid_time_zone')
  const amount = parseAmount('limit', wallet.baseCurrency, limit)
  return {
    ...setting,
    limit_minor: amount.minor,
    currency: wallet.baseCurrency,
    limit_usd_minor: usdMinorOf(amount),
  }
}

/** What is stricter holds from now on; the rest waits. What waited before is replaced. */
async function writeSetting(tx: Tx, userId: bigint, wanted: StreetSetting, at: Date): Promise<boolean> {
  const { current } = await readSettings(tx, userId, at)
  const first = atOnce(current, wanted)
  await tx.query('delete from street_setting where user_id = $1 and valid_from > $2', [userId, at])
  if (!current || !isSame(first, current)) await insertSetting(tx, userId, first, at)
  const isWeaker = !isSame(first, wanted)
  if (isWeaker) await insertSetting(tx, userId, wanted, await afterWait(tx, at))
  return isWeaker
}

async function afterWait(tx: Tx, at: Date): Promise<Date> {
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
      ...[userId, validFrom, setting.is_on, setting.limit_minor, setting.currency, setting.limit_usd_minor],
      ...[setting.night_from, setting.night_until, setting.time_zone],
    ],
  )
}

/** A place that is there already stays as it is. */
async function writePlace(
  tx: Tx,
  userId: bigint,
  { name, network, country }: { name: string; network: string; country: string | undefined },
  at: Date,
): Promise<boolean> {
  const { rows } = await tx.query<{ network: string }>('select network from street_place where user_id = $1', [userId])
  if (rows.some((row) => row.network === network)) return false
  if (rows.length >= (await readStreetPolicy(tx)).most_places) refuse('too_many_places')
  const isOn = (await readSettings(tx, userId, at)).current?.is_on === true
  await tx.query(
    `insert into street_place (id, user_id, name, country, network, trusted_from, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(at), userId, name, country ?? null, network, isOn ? await afterWait(tx, at) : at, at],
  )
  return isOn
}

const weakening = (setting: StreetSetting): SensitiveAction => {
  const { is_on: isOn, night_from: from, night_until: until, time_zone: timeZone } = setting
  const amount = toDecimal(money(setting.currency, setting.limit_minor))
  return {
    action: 'weaken_street_mode',
    subject: isOn
      ? { change: confirmed('weaken_street_mode'), limit: `${amount} ${setting.currency}` }
      : { change: confirmed('end_street_mode') },
    hidden: { night: `${from} ${until} ${timeZone}` },
  }
}

const settingView = ({ is_on, night_from, night_until, time_zone, ...limit }: StreetSetting) => ({
  ...{ is_on, night_from, night_until, time_zone },
  limit: toDecimal(money(limit.currency, limit.limit_minor)),
})
