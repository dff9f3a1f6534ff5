/**
 * The operator's support contact, a mailto: or https: address; undefined where none is configured. The server writes it
 * into the root of each page.
 */
export const supportContact = () => globalThis.document?.documentElement.dataset.support

/** A sentence that sends people to support, and the one to use where there is no support contact. */
interface SupportSentence {
  readonly withContact: string
  readonly without: string
}

/** Chooses the wording of a sentence that sends people to support. */
export const supportSentence = ({ withContact, without }: SupportSentence) => (supportContact() ? withContact : without)
