(() => {
  "use strict";
  const film = document.getElementById("film");
  const stills = [...film.children];
  const play = document.getElementById("play");
  const place = document.getElementById("place");
  const time = document.getElementById("time");
  const each = Number(film.dataset.each);
  let shown = 0;
  let began = null;
  const show = (k) => {
    stills[shown].hidden = true;
    stills[k].hidden = false;
    shown = k;
    place.value = String(k);
    time.textContent = `${stills[k].dataset.time} s`;
  };
  const tick = (now) => {
    if (began === null) return;
    show(Math.floor((now - began) / each) % stills.length);
    requestAnimationFrame(tick);
  };
  const start = () => {
    began = performance.now() - shown * each;
    play.textContent = "Pause";
    requestAnimationFrame(tick);
  };
  const stop = () => {
    began = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => (began === null ? start() : stop()));
  place.addEventListener("input", () => {
    stop();
    show(Number(place.value));
  });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) start();
})();
