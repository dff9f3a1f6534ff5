/** When the browser gives no passkey: in our words, since its own are in whichever language it speaks. */
export const passkeys = {
  unused: 'No passkey was used. Try again, or choose another way.',
  notMade: 'No passkey was made. Try again when you are ready.',
  alreadyThere: 'This device has a passkey for your account already.',
}
