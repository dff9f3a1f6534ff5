import type { CurrentUser } from '@tern/contract/identity'
import {
  addStreetPlace,
  removeStreetPlace,
  type StreetMode,
  type StreetPlace,
} from '@tern/contract/transfers/street-mode'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import { useState } from 'react'
import { street as texts } from '#messages/transfers/street.ts'
import { Form } from '../../../../app/forms/Form.tsx'
import { callApi } from '../../../../app/session/session.ts'
import { callWithStepUp } from '../../../../app/step-up/step-up.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { formatDate, formatDateTime } from '../../../../ui/format/format.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { ValueRow } from '../../../../ui/settings/SettingRow.tsx'
import { settingIcons } from '../setting-icons.ts'
import { useStreet } from './use-street.ts'
import { usesTimeZone, streetZone, zoneName } from './zone-name.ts'

/** Trusted networks, the current network, and the time zone of the night hours. */
export function Places({ user, mode }: { user: Pick<CurrentUser, 'id' | 'residence'>; mode: StreetMode }) {
  const { places, here: currentNetwork } = mode
  const canAdd = currentNetwork.place_id === null && currentNetwork.network !== '' && places.length < mode.most_places
  return (
    <>
      {places.map((place) => (
        <PlaceRow
          key={place.id}
          userId={user.id}
          place={place}
          isCurrentNetwork={place.id === currentNetwork.place_id}
        />
      ))}
      {canAdd && <NewPlaceRow userId={user.id} />}
      <ValueRow
        icon={settingIcons.clock}
        title={texts.zoneTitle}
        text={texts.zoneText}
        value={describeZone(streetZone(mode), user.residence)}
      />
    </>
  )
}

/** Name of the zone, with the user's verified city if the zone belongs to their country. */
function describeZone(timeZone: string, residence: CurrentUser['residence']): string {
  const name = zoneName(timeZone)
  return residence && usesTimeZone(residence.country, timeZone) ? texts.zoneAndCity(name, residence.city) : name
}

const isTrusted = (trustedFrom: string): boolean => Date.parse(trustedFrom) <= Date.now()

function PlaceRow({
  userId,
  place,
  isCurrentNetwork,
}: {
  userId: number
  place: StreetPlace
  isCurrentNetwork: boolean
}) {
  const [isOpen, setIsOpen] = useState(false)
  const { change, isBusy, error } = useStreet(userId)
  const { id, name, trusted_from: trustedFrom } = place
  const remove = () =>
    change(
      () => callApi(removeStreetPlace, { params: { id } }),
      () => texts.removed,
    )
  const trustText = isTrusted(trustedFrom)
    ? texts.trustedSince(formatDate(trustedFrom))
    : texts.trustedFrom(formatDateTime(trustedFrom))
  return (
    <ValueRow
      icon={settingIcons.place}
      title={name}
      text={isCurrentNetwork ? `${trustText} ${texts.isHere}` : trustText}
      isOpen={isOpen}
      onPress={() => setIsOpen(!isOpen)}
    >
      {isOpen && (
        <>
          {error && <Note tone="error">{error}</Note>}
          <Button
            className="justify-self-start"
            processing={isBusy}
            aria-label={texts.removeNamed(name)}
            onClick={remove}
          >
            {texts.remove}
          </Button>
        </>
      )}
    </ValueRow>
  )
}

function NewPlaceRow({ userId }: { userId: number }) {
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState('')
  const { change, isBusy, error } = useStreet(userId)
  const add = () => {
    if (visibleText(name) === '') return
    change(
      () => callWithStepUp(addStreetPlace, { body: { name } }),
      ({ places: after }) => {
        const trustedFrom = after.at(-1)?.trusted_from ?? ''
        return isTrusted(trustedFrom) ? texts.placeAdded : texts.placeWaits(formatDateTime(trustedFrom))
      },
    )
  }
  return (
    <ValueRow
      icon={settingIcons.plus}
      title={texts.newPlace}
      text={texts.placesText}
      isOpen={isOpen}
      onPress={() => setIsOpen(!isOpen)}
    >
      {isOpen && (
        <Form className="grid gap-5" submitCount={0} onSubmit={add}>
          {error && <Note tone="error">{error}</Note>}
          <TextField
            label={texts.placeName}
            hint={texts.placeNameHint}
            value={name}
            maxLength={40}
            required
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" look="primary" processing={isBusy} className="justify-self-start">
            {texts.addPlace}
          </Button>
        </Form>
      )}
    </ValueRow>
  )
}
