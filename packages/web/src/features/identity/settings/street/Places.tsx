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
import { formatDateTime } from '../../../../ui/format/format.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'
import { useStreet } from './use-street.ts'

/** The networks that somebody trusts, and the one they are on. */
export function Places({ userId, mode }: { userId: number; mode: StreetMode }) {
  const [name, setName] = useState('')
  const { change, isBusy, error } = useStreet(userId)
  const { places, here } = mode
  const canAdd = here.place_id === null && here.network !== '' && places.length < mode.most_places
  const add = () => {
    if (visibleText(name) === '') return
    change(
      () => callWithStepUp(addStreetPlace, { body: { name } }),
      ({ places: after }) => {
        setName('')
        const from = after.at(-1)?.trusted_from ?? ''
        return isTrusted(from) ? texts.placeAdded : texts.placeWaits(formatDateTime(from))
      },
    )
  }
  const remove = ({ id }: StreetPlace) =>
    change(
      () => callApi(removeStreetPlace, { params: { id } }),
      () => texts.removed,
    )
  return (
    <div className="mt-6 grid gap-4">
      <h3 className="font-medium">{texts.placesTitle}</h3>
      <p className="small muted -mt-3">{texts.placesText}</p>
      {places.length === 0 && <p className="small">{texts.noPlaces}</p>}
      {places.map((place) => (
        <Entry
          key={place.id}
          title={place.name}
          text={<PlaceFacts place={place} isHere={place.id === here.place_id} />}
        >
          <Button processing={isBusy} aria-label={texts.removeNamed(place.name)} onClick={() => remove(place)}>
            {texts.remove}
          </Button>
        </Entry>
      ))}
      {error && <Note tone="error">{error}</Note>}
      {canAdd && (
        <Form className="grid gap-4" submitCount={0} onSubmit={add}>
          <TextField
            label={texts.placeName}
            hint={texts.placeNameHint(factsOf(here))}
            value={name}
            maxLength={40}
            required
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" processing={isBusy} className="justify-self-start">
            {texts.addPlace}
          </Button>
        </Form>
      )}
    </div>
  )
}

const isTrusted = (from: string): boolean => Date.parse(from) <= Date.now()
const factsOf = ({ country, network }: Pick<StreetPlace, 'country' | 'network'>): string =>
  [country, network].filter(Boolean).join(', ')

function PlaceFacts({ place, isHere }: { place: StreetPlace; isHere: boolean }) {
  const waits = isTrusted(place.trusted_from) ? undefined : texts.trustedFrom(formatDateTime(place.trusted_from))
  return [factsOf(place), isHere ? texts.isHere : undefined, waits].filter(Boolean).join(' · ')
}
