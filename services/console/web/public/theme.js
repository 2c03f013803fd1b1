// Runs before the first paint, so that a chosen theme does not flash. Not a module: the content
// security policy allows no inline script, and a module would run too late.
{
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
