/** What somebody reads on the dashboard until their identity is verified. */
export const verification = {
  states: {
    not_started: 'Verify your identity before you add or send money.',
    pending: 'Your identity check is running. You can send money as soon as it is done.',
    in_review: 'A person is looking at your identity check. You can send money as soon as it is done.',
    needs_information: 'Your identity check needs more information from you.',
    rejected: 'Your identity could not be verified. See why, and try again.',
  },
  begin: 'Verify your identity',
  seeState: 'See where it stands',
  seeNeeds: 'See what is needed',
}
