// The page of the API: loads the console when it is first wanted, and names this service in the guides.

for (const code of document.querySelectorAll('#guides pre code')) {
  code.textContent = code.textContent.replaceAll('https://HOST', location.origin);
}

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-try]') : null;
  if (!button) return;
  button.disabled = true;
  try {
    const { openConsole } = await import('./console.js');
    openConsole(button);
  } catch {
    button.disabled = false;
    button.textContent = 'Could not load. Try again';
  }
});

// A phone begins with the text, not with two screens of links.
if (matchMedia('(max-width: 56rem)').matches) document.querySelector('nav details').open = false;
